// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/stage_runner.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>

namespace tandem {
namespace {

using Access = opencl::Buffer::Access;
using Role = StageTensor::Role;
using Views = std::array<StageView, kMostStageTensors>;

}  // namespace

StageMemory::StageMemory(const StageFile& file, const StagePlan& plan,
                         std::shared_ptr<opencl::Context> context, int width, int height)
    : reach(plan.tensors.size()), file_(file), plan_(plan), width_(width), height_(height) {
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const StageTensor& tensor = plan.tensors[i];
    const StageView shape = view(i, nullptr);
    const std::size_t bytes = static_cast<std::size_t>(shape.width) *
                              static_cast<std::size_t>(shape.height) * bytes_of(tensor.type);
    buffers_.push_back(std::make_unique<opencl::Buffer>(context, bytes));
    std::memset(buffers_.back()->host(Access::write), 0, bytes);
  }
  for (const StageParameter& p : file.parameters) parameters_.push_back(initial_value(p));
}

StageView StageMemory::view(std::size_t i, void* data) const {
  const StageShape& shape = plan_.tensors[i].shape;
  const int columns = shape.columns(width_);
  return {data, columns, columns, shape.rows(height_)};
}

std::size_t StageMemory::index(const std::string& name) const {
  for (std::size_t i = 0; i < plan_.tensors.size(); ++i) {
    const StageTensor& tensor = plan_.tensors[i];
    if (tensor.name == name && tensor.of < 0 && tensor.role != Role::kFlags) return i;
  }
  throw std::out_of_range("no tensor '" + name + "'");
}

void StageMemory::set(std::size_t i, const void* bytes) {
  std::memcpy(buffers_[i]->host(Access::write), bytes, buffers_[i]->size());
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
          .reach = memory.reach.data()};
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
  for (std::size_t i = 0; i < memory.tensors(); ++i)
    views[i] = memory.view(i, memory.buffer(i).host(Access::read_write));
  const StageCall now = call(memory, views.data());
  const int rows = host_->rows(now);
  if (bands.empty()) host_->compute(now, {0, rows});
  for (std::size_t i = 0; i < bands.size(); ++i)
    host_->compute(now, {bands[i], i + 1 < bands.size() ? bands[i + 1] : rows});
  host_->combine(now);
  ++memory.frame;
  return unsettled_loop(file_, plan_, now);
}

std::string StageRunner::run_threads(StageMemory& memory, int threads) const {
  keep(memory);
  Views views;
  for (std::size_t i = 0; i < memory.tensors(); ++i)
    views[i] = memory.view(i, memory.buffer(i).host(Access::read_write));
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
