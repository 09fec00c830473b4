// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/host_stage.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/stage_file/codegen/codegen.h"
#include "kernels/stage_file/parse/directive.h"

namespace tandem {
namespace {

using Skeleton = StagePart::Skeleton;

int pieces_of(const StageCall& call) {
  return (call.rows + call.piece_rows - 1) / std::max(1, call.piece_rows);
}

// Whether a loop has it as the second memory of what it writes.
bool is_other(const StageStep& step, const StageTensor& tensor) {
  return tensor.role == StageTensor::Role::kOther &&
         std::ranges::find(step.parts[0].writes, tensor.of, &StageStore::tensor) !=
             step.parts[0].writes.end();
}

}  // namespace

bool has_cores(const StageFile& file) {
  return file.only == StageSide::kCpu ||
         (file.only != StageSide::kDevice && !c_compiler().path.empty());
}

StageValue initial_value(const StageParameter& parameter) {
  StageValue value{};
  if (parameter.type == StageParameter::Type::kFloat) {
    value.real = static_cast<float>(parameter.initial);
  } else {
    value.whole = static_cast<int>(parameter.initial);
  }
  return value;
}

StageView view_of(const StageTensor& tensor, int width, int height, void* data) {
  const int columns = tensor.shape.columns(width);
  return {data, columns, columns, tensor.shape.rows(height)};
}

std::size_t bytes_of(const StageTensor& tensor, const StageView& view) {
  return static_cast<std::size_t>(view.stride) * static_cast<std::size_t>(view.height) *
         bytes_of(tensor.type);
}

StageCall call_of(const StageStep& step, const StageCall& call) {
  StageCall own = call;
  own.columns = step.grid.columns(call.width);
  own.rows = step.grid.rows(call.height);
  own.piece_rows = std::max(1, (own.rows + kHostPieces - 1) / kHostPieces);
  return own;
}

void swap_passes(const StagePlan& plan, const StageStep& step, std::span<StageView> views) {
  for (std::size_t i = 0; i < plan.tensors.size(); ++i)
    if (is_other(step, plan.tensors[i]))
      std::swap(views[i].data, views[static_cast<std::size_t>(plan.tensors[i].of)].data);
}

std::string unsettled_loop(const StageFile& file, const StagePlan& plan, const StageCall& call) {
  for (const StageStep& step : plan.steps) {
    if (!step.until_settled) continue;
    const int* const flags = static_cast<const int*>(call.tensors[step.flags].data);
    if (flags[step.passes] < step.passes || flags[step.passes - 1] == 0) continue;
    return at_line(file.path, file.parts[step.parts[0].part].line, 1,
                   "the loop has not settled after " + std::to_string(step.passes) +
                       " passes: `again` is still set");
  }
  return {};
}

HostStage::HostStage(const StageFile& file, const StagePlan& plan, bool check) : plan_(plan) {
  CompiledCode compiled =
      compile_c(generate_c(file, plan), {.contract = file.contract, .check = check});
  cached_ = compiled.cached;
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
  if (!plan_.has_bands()) return kMostBands;
  const StageCall own = call_of(plan_.steps[0], call);
  return plan_.steps[0].skeleton == Skeleton::kReduce ? pieces_of(own) : own.rows;
}

void HostStage::compute(const StageCall& call, Rows rows) const {
  if (plan_.has_bands()) {
    const StageCall own = call_of(plan_.steps[0], call);
    steps_[0](&own, rows.begin, rows.end);
  } else if (rows.begin == 0) {
    HostProgress alone;
    share(call, alone);
  }
}

void HostStage::combine(const StageCall& call) const {
  if (!plan_.has_bands() || !combines_[0]) return;
  const StageCall own = call_of(plan_.steps[0], call);
  combines_[0](&own, 0, pieces_of(own));
}

/// A call as HostProgress has it computed, pass by pass.
class HostStage::Passes {
 public:
  Passes(const HostStage& stage, const StageCall& call) : stage_(stage), call_(call) {}

  int steps() const { return static_cast<int>(stage_.steps_.size()); }

  int bands(int k) const { return std::clamp(rows_of(k, call_of(step(k), call_)), 1, kMostBands); }

  // Before its first pass a loop reads zeros.
  void enter(int k) const {
    each_pair(k, 0, [](const StageTensor& tensor, StageView&, const StageView& from) {
      std::memset(from.data, 0, bytes_of(tensor, from));
    });
  }

  int compute(const HostProgress::Band& band) const {
    StageCall own = call_of(step(band.step), call_);
    own.pass = band.pass;
    Views views;
    turn(band.step, band.pass, views);
    own.tensors = views.data();
    const auto rows = static_cast<int64_t>(rows_of(band.step, own));
    const int count = bands(band.step);
    return stage_.steps_[static_cast<std::size_t>(band.step)](
        &own, static_cast<int>(rows * band.band / count),
        static_cast<int>(rows * (band.band + 1) / count));
  }

  bool again(int k, int pass, int asked) const {
    if (int* const flags = flags_of(k)) flags[pass] = asked;
    return pass + 1 < step(k).passes && (!step(k).until_settled || asked);
  }

  // The result of a step that ends early may lie in the other memory.
  void leave(int k, int pass) const {
    if (int* const flags = flags_of(k)) flags[step(k).passes] = pass + 1;
    each_pair(k, pass, [&](const StageTensor& tensor, const StageView& to, const StageView&) {
      void* const wanted = call_.tensors[tensor.of].data;
      if (to.data != wanted) std::memcpy(wanted, to.data, bytes_of(tensor, to));
    });
    const StageCall own = call_of(step(k), call_);
    if (const StageFunction combine = stage_.combines_[static_cast<std::size_t>(k)])
      combine(&own, 0, pieces_of(own));
  }

 private:
  using Views = std::array<StageView, kMostStageTensors>;

  const StageStep& step(int k) const { return stage_.plan_.steps[static_cast<std::size_t>(k)]; }
  int rows_of(int k, const StageCall& own) const {
    return step(k).skeleton == Skeleton::kReduce ? pieces_of(own) : own.rows;
  }
  int* flags_of(int k) const {
    return step(k).flags < 0 ? nullptr : static_cast<int*>(call_.tensors[step(k).flags].data);
  }

  // Passes write in turn where the others read, the last one of all where the stage's output is.
  void turn(int k, int pass, Views& views) const {
    std::copy_n(call_.tensors, stage_.plan_.tensors.size(), views.begin());
    if (step(k).writes_other(pass)) swap_passes(stage_.plan_, step(k), views);
  }
  // Calls body(tensor, view to write, view to read) for the tensors of a pass with two memories.
  template <typename Body>
  void each_pair(int k, int pass, const Body& body) const {
    Views views;
    turn(k, pass, views);
    const auto& tensors = stage_.plan_.tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (is_other(step(k), tensors[i]))
        body(tensors[i], views[static_cast<std::size_t>(tensors[i].of)], views[i]);
  }

  const HostStage& stage_;
  const StageCall& call_;
};

void HostStage::share(const StageCall& call, HostProgress& progress, Stop stop) const {
  progress.share(Passes(*this, call), stop);
}

}  // namespace tandem
