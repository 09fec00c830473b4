// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/host_stage.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/stage_file/directive.h"
#include "kernels/stage_file/generate.h"

namespace tandem {
namespace {

using Skeleton = StagePart::Skeleton;

int pieces_of(const StageCall& call) {
  return (call.rows + call.piece_rows - 1) / std::max(1, call.piece_rows);
}

}  // namespace

StageValue initial_value(const StageParameter& parameter) {
  StageValue value{};
  if (parameter.type == StageParameter::Type::kFloat) {
    value.real = static_cast<float>(parameter.initial);
  } else {
    value.whole = static_cast<int>(parameter.initial);
  }
  return value;
}

StageCall call_of(const StageStep& step, const StageCall& call) {
  StageCall own = call;
  own.columns = step.grid.columns(call.width);
  own.rows = step.grid.rows(call.height);
  own.piece_rows = std::max(1, (own.rows + kHostPieces - 1) / kHostPieces);
  return own;
}

std::string unsettled_loop(const StageFile& file, const StagePlan& plan, const StageCall& call) {
  for (const StageStep& step : plan.steps) {
    if (!step.until_settled) continue;
    const int* const flags = static_cast<const int*>(call.tensors[step.flags].data);
    if (flags[step.passes] < step.passes || flags[step.passes - 1] == 0) continue;
    return at_line(file.path, file.parts[step.parts[0].part].line, 1,
                   "the loop has not ended after " + std::to_string(step.passes) +
                       " passes: `again` is still set");
  }
  return {};
}

HostStage::HostStage(const StageFile& file, const StagePlan& plan, bool check) : plan_(plan) {
  CompiledCode compiled =
      compile_c(generate_c(file, plan), {.contract = file.contract, .check = check});
  cached_ = compiled.cached;
  notice_ = compiled.notice;
  code_ = std::make_unique<LoadedCode>(compiled.bytes);
  for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
    const bool reduces = plan_.steps[k].skeleton == Skeleton::kReduce;
    steps_.push_back(code_->find("tandem_step_" + std::to_string(k)));
    combines_.push_back(reduces ? code_->find("tandem_combine_" + std::to_string(k)) : nullptr);
    if (!steps_.back() || (reduces && !combines_.back()))
      throw std::runtime_error("the code of a stage lacks its functions");
  }
}

int HostStage::rows(const StageCall& call) const {
  if (!plan_.has_bands()) return 1;
  const StageCall own = call_of(plan_.steps[0], call);
  return plan_.steps[0].skeleton == Skeleton::kReduce ? pieces_of(own) : own.rows;
}

void HostStage::compute(const StageCall& call, Rows rows) const {
  if (plan_.has_bands()) {
    const StageCall own = call_of(plan_.steps[0], call);
    steps_[0](&own, rows.begin, rows.end);
    return;
  }
  for (std::size_t k = 0; k < steps_.size(); ++k) run_step(k, call);
}

void HostStage::combine(const StageCall& call) const {
  if (!plan_.has_bands() || !combines_[0]) return;
  const StageCall own = call_of(plan_.steps[0], call);
  combines_[0](&own, 0, pieces_of(own));
}

void HostStage::run_step(std::size_t number, const StageCall& call) const {
  const StageCall own = call_of(plan_.steps[number], call);
  switch (plan_.steps[number].skeleton) {
    case Skeleton::kMap:
      steps_[number](&own, 0, own.rows);
      break;
    case Skeleton::kReduce:
      steps_[number](&own, 0, pieces_of(own));
      combines_[number](&own, 0, pieces_of(own));
      break;
    case Skeleton::kLoop:
      run_loop(number, own);
  }
}

// Passes write in turn where the others read. What ends early may lie in the other memory.
void HostStage::run_loop(std::size_t number, const StageCall& call) const {
  const StageStep& step = plan_.steps[number];
  std::array<StageView, kMostStageTensors> views;
  std::copy_n(call.tensors, plan_.tensors.size(), views.begin());
  StageCall own = call;
  own.tensors = views.data();
  const auto each_pair = [&](auto&& body) {
    for (std::size_t i = 0; i < plan_.tensors.size(); ++i) {
      const StageTensor& other = plan_.tensors[i];
      if (other.role != StageTensor::Role::kOther) continue;
      for (const StageStore& write : step.parts[0].writes)
        if (write.tensor == other.of)
          body(other, views[static_cast<std::size_t>(other.of)], views[i]);
    }
  };
  const auto bytes = [&](const StageTensor& tensor, const StageView& view) {
    return static_cast<std::size_t>(view.stride) * static_cast<std::size_t>(view.height) *
           bytes_of(tensor.type);
  };
  each_pair([&](const StageTensor& tensor, StageView& to, StageView& from) {
    if (step.passes % 2 == 0) std::swap(to.data, from.data);
    std::memset(from.data, 0, bytes(tensor, from));
  });
  int* const flags = step.flags >= 0
                         ? static_cast<int*>(views[static_cast<std::size_t>(step.flags)].data)
                         : nullptr;
  for (own.pass = 0;;) {
    const int again = steps_[number](&own, 0, own.rows);
    ++own.pass;
    if (flags) flags[own.pass - 1] = again;
    if (own.pass == step.passes || (step.until_settled && !again)) break;
    each_pair(
        [&](const StageTensor&, StageView& to, StageView& from) { std::swap(to.data, from.data); });
  }
  if (flags) flags[step.passes] = own.pass;
  each_pair([&](const StageTensor& tensor, StageView& to, StageView&) {
    void* const wanted = call.tensors[tensor.of].data;
    if (to.data != wanted) std::memcpy(wanted, to.data, bytes(tensor, to));
  });
}

}  // namespace tandem
