// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/stage_runner.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>

#include "kernels/stage_file/parse/directive.h"

namespace tandem {
namespace {

using Access = opencl::Buffer::Access;
using Role = StageTensor::Role;
using Views = std::array<StageView, kMostStageTensors>;

// Behind each tensor, and on the cores in front of partial results: a page.
constexpr std::size_t kGuardBytes = 4096;
constexpr uint8_t kGuard = 0xa5;

}  // namespace

StageMemory::StageMemory(const StageFile& file, const StagePlan& plan,
                         std::shared_ptr<opencl::Context> context, int width, int height)
    : reach(plan.tensors.size()), file_(file), plan_(plan), width_(width), height_(height) {
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const StageTensor& tensor = plan.tensors[i];
    const std::size_t guards = tensor.role == Role::kPartials ? 2 : 1;
    const std::size_t all = bytes(i) + guards * kGuardBytes;
    buffers_.push_back(std::make_unique<opencl::Buffer>(context, all));
    std::memset(buffers_.back()->host(Access::write), 0, all);
  }
  for (const StageParameter& p : file.parameters) parameters_.push_back(initial_value(p));
}

StageView StageMemory::view(std::size_t i, void* data) const {
  return view_of(plan_.tensors[i], width_, height_, data);
}

std::size_t StageMemory::bytes(std::size_t i) const {
  return bytes_of(plan_.tensors[i], view(i, nullptr));
}

std::size_t StageMemory::index(const std::string& name) const {
  for (std::size_t i = 0; i < plan_.tensors.size(); ++i) {
    const StageTensor& tensor = plan_.tensors[i];
    if (tensor.name == name && tensor.of < 0 && tensor.role != Role::kFlags) return i;
  }
  throw std::out_of_range("no tensor '" + name + "'");
}

void StageMemory::set(std::size_t i, const void* bytes) {
  std::memcpy(buffers_[i]->host(Access::read_write), bytes, this->bytes(i));
}

StageValue& StageMemory::parameter(const std::string& name) {
  const auto found = std::ranges::find(file_.parameters, name, &StageParameter::name);
  return parameters_.at(static_cast<std::size_t>(found - file_.parameters.begin()));
}

StageRunner::StageRunner(StageFile file, std::shared_ptr<opencl::Context> context, bool check)
    : file_(std::move(file)), plan_(plan_stage(file_)), context_(std::move(context)) {
  if (file_.only != StageSide::kDevice) host_ = std::make_unique<HostStage>(file_, plan_, check);
  if (!context_ || file_.only == StageSide::kCpu) return;
  device_ = std::make_unique<StageFileOpenCL>(*context_, file_, plan_);
  queue_ = std::make_unique<opencl::Queue>(context_);
}

StageCall StageRunner::call(StageMemory& memory, const StageView* views) const {
  return {.width = memory.width(),
          .height = memory.height(),
          .frame = memory.frame,
          .parameters = memory.parameters().data(),
          .tensors = views,
          .reach = memory.reach.data(),
          .outside = &memory.outside,
          .cast = &memory.cast};
}

std::pair<std::size_t, std::size_t> StageRunner::span(StageMemory& memory, std::size_t i,
                                                      StageSide side) const {
  if (memory.tensor(i).role != Role::kPartials || side == StageSide::kDevice)
    return {0, memory.bytes(i)};
  std::size_t pieces = kHostPieces;
  for (const StageStep& step : plan_.steps) {
    for (const StageStore& write : step.parts[0].writes) {
      if (write.partials != static_cast<int>(i)) continue;
      const StageCall own = call_of(step, call(memory, nullptr));
      pieces = static_cast<std::size_t>((own.rows + own.piece_rows - 1) / own.piece_rows);
    }
  }
  const auto& all = memory.tensor(i).shape.constants;
  return {kGuardBytes, kGuardBytes + memory.bytes(i) / static_cast<std::size_t>(all[0]) * pieces};
}

void StageRunner::guard(StageMemory& memory) const {
  for (std::size_t i = 0; i < memory.tensors(); ++i) {
    auto* const bytes = static_cast<uint8_t*>(memory.buffer(i).host(Access::read_write));
    const bool partials = memory.tensor(i).role == Role::kPartials;
    std::fill(bytes + (partials ? 0 : memory.bytes(i)), bytes + memory.buffer(i).size(), kGuard);
  }
}

std::string StageRunner::overwritten(StageMemory& memory, StageSide side) const {
  for (std::size_t i = 0; i < memory.tensors(); ++i) {
    const auto* const bytes = static_cast<const uint8_t*>(memory.buffer(i).host(Access::read));
    const auto [begin, end] = span(memory, i, side);
    for (std::size_t at = 0; at < memory.buffer(i).size(); ++at)
      if ((at < begin || at >= end) && bytes[at] != kGuard)
        return std::string("the code writes ") + (at < begin ? "before" : "behind") + " '" +
               memory.tensor(i).name + "'";
  }
  return {};
}

void StageRunner::place(StageMemory& memory, StageView* views) const {
  for (std::size_t i = 0; i < memory.tensors(); ++i) {
    auto* const bytes = static_cast<uint8_t*>(memory.buffer(i).host(Access::read_write));
    const Role role = memory.tensor(i).role;
    // Before the first frame there is no memory in a pipeline either.
    const bool missing = role == Role::kBefore && memory.frame == 0;
    views[i] = memory.view(
        i, missing ? nullptr : bytes + (role == Role::kPartials ? kGuardBytes : std::size_t{0}));
  }
}

void StageRunner::keep(StageMemory& memory) const {
  for (std::size_t i = 0; i < plan_.tensors.size(); ++i) {
    if (plan_.tensors[i].role != Role::kBefore) continue;
    memory.set(i, memory.buffer(static_cast<std::size_t>(plan_.tensors[i].of)).host(Access::read));
  }
}

int StageRunner::host_rows(StageMemory& memory) const {
  Views views;
  for (std::size_t i = 0; i < memory.tensors(); ++i) views[i] = memory.view(i, nullptr);
  return host_->rows(call(memory, views.data()));
}

std::string StageRunner::run_host(StageMemory& memory, const std::vector<int>& bands) const {
  keep(memory);
  Views views;
  place(memory, views.data());
  const StageCall now = call(memory, views.data());
  const int rows = host_->rows(now);
  if (bands.empty()) host_->compute(now, {0, rows});
  for (std::size_t i = 0; i < bands.size(); ++i)
    host_->compute(now, {bands[i], i + 1 < bands.size() ? bands[i + 1] : rows});
  host_->combine(now);
  ++memory.frame;
  if (const StageOutside& at = memory.outside; at.file)
    return at_line(at.file, static_cast<int>(at.line), static_cast<int>(at.column),
                   "index " + std::to_string(at.index) + " is outside of the array " + at.type);
  return unsettled_loop(file_, plan_, now);
}

std::string StageRunner::run_threads(StageMemory& memory, int threads) const {
  keep(memory);
  Views views;
  place(memory, views.data());
  const StageCall now = call(memory, views.data());
  HostProgress progress;
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([&] { host_->share(now, progress); });
  host_->share(now, progress);
  for (std::thread& other : others) other.join();
  ++memory.frame;
  return unsettled_loop(file_, plan_, now);
}

void StageRunner::enqueue(StageMemory& memory, opencl::Queue& queue) const {
  Views views;
  for (std::size_t i = 0; i < memory.tensors(); ++i)
    views[i] = memory.view(i, memory.buffer(i).device(queue, Access::read_write));
  device_->enqueue(queue, call(memory, views.data()));
}

std::string StageRunner::run_device(StageMemory& memory) const {
  keep(memory);
  enqueue(memory, *queue_);
  queue_->finish();
  ++memory.frame;
  Views views{};
  for (std::size_t i = 0; i < memory.tensors(); ++i)
    if (plan_.tensors[i].role == Role::kFlags)
      views[i] = memory.view(i, memory.buffer(i).host(Access::read));
  return unsettled_loop(file_, plan_, call(memory, views.data()));
}

}  // namespace tandem
