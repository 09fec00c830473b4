// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/flow/stageadapter.h>
#include <gst/tandem/private/stagedescription.h>
#include <gst/tandem/private/stagefile.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "kernels/stage_file/codegen/fuse.h"
#include "kernels/stage_file/run/host_stage.h"
#include "kernels/stage_file/run/stage_file_device.h"
#include "scheduler/flow/stage_path.h"

namespace tandem::bin {

/// The code of consecutive stage files as one pass over a frame, and the tensors that the pass
/// reads and writes.
class FusedStages {
 public:
  /// `first`: index of the first stage in the chain. `files`: one a stage of the pass.
  FusedStages(FusedFiles fused, std::size_t first, std::span<const StageFileAccess* const> files)
      : fused_(std::move(fused)), first_(first), files_(files.begin(), files.end()) {}

  /// Compiles for the cores, and for the device unless `context` is null. Each side is compiled
  /// once. If that fails, the stages are computed one by one and report the error. Called by one
  /// thread at a time; other threads may compute meanwhile.
  void compile(const std::shared_ptr<opencl::Context>& context);
  bool on_cores() const { return has_host_; }
  bool on_device() const { return has_device_; }

  // As the functions of Stage, for a frame that all stages of the pass have prepared. May throw.
  void begin(FrameItem& item) const;
  int rows(const FrameItem& item) const;
  void compute(FrameItem& item, Rows rows) const;
  void enqueue(FrameItem& item, opencl::Queue& queue) const;
  /// Calls `body` with each tensor that other stages or passes read, in the order of the stages.
  template <typename Body>
  void each_output(FrameItem& item, Body&& body) const {
    const Layouts layouts = this->layouts(item);
    for (std::size_t i = 0; i < fused_.origins.size(); ++i) {
      const Tensor at = tensor(item, layouts, i);
      if (static_cast<int>(i) != fused_.luma && at.is_output()) body(at.output());
    }
  }
  void finish(FrameItem& item) const;

 private:
  using Layouts = std::array<StageFileLayout, Fused::kMost>;
  using Views = std::array<StageView, kMostStageTensors>;
  using Values = std::array<StageValue, kMostFusedParameters>;

  /// A tensor of the pass in a frame.
  struct Tensor {
    GstTandemFrame& frame;
    const StageFileLayout::Place& place;

    bool is_output() const { return place.output >= 0 && place.component < 0; }
    SlotTensor& input() const { return frame.inputs[static_cast<std::size_t>(place.input)]; }
    SlotTensor& output() const { return frame.outputs[static_cast<std::size_t>(place.output)]; }
    auto& host_input() const { return frame.host_inputs[static_cast<std::size_t>(place.input)]; }
    auto& host_output() const { return frame.host_outputs[static_cast<std::size_t>(place.output)]; }
  };

  Layouts layouts(const FrameItem& item) const;
  Tensor tensor(FrameItem& item, const Layouts& layouts, std::size_t i) const;
  SlotTensor& luma(FrameItem& item, const Layouts& layouts) const;
  StageView view(const FrameItem& item, std::size_t i, void* data) const;
  StageCall call(const FrameItem& item, const Layouts& layouts, const Views& views,
                 Values& values) const;

  const FusedFiles fused_;
  const std::size_t first_;
  const std::vector<const StageFileAccess*> files_;
  bool tried_host_ = false, tried_device_ = false;
  std::unique_ptr<const HostStage> host_;
  std::unique_ptr<const StageFileOpenCL> device_;
  std::atomic<bool> has_host_{false}, has_device_{false};  // set after the pointers
};

/// All passes that consecutive stage files of a chain can form, with their code. A frame takes such
/// a pass if it is computed on one side throughout. See decision 27.
class Fusion {
 public:
  Fusion(const std::vector<GstTandemStage*>& stages, std::span<StageAdapter* const> adapters);
  ~Fusion();

  /// Returns stage `k` for the executor. The first stage of a pass is replaced by one that can
  /// compute the whole pass.
  Stage* scheduled(int k) const;

  /// Compiles the passes for frames that keep their tensors, or that do not, before the first such
  /// frame. Frames also keep the tensors of a stage's property `tensors`.
  void begin(bool keeps_tensors);
  /// Compiles the passes of begin() for the device, before frames may go there.
  void use_device(std::shared_ptr<opencl::Context> context);
  /// Returns the stages that a new frame can take in one pass. From any thread.
  Fused fused(bool keeps_tensors) const;

 private:
  class Leader;
  using Range = std::pair<int, int>;  // first stage, how many
  using Passes = std::map<Range, std::unique_ptr<FusedStages>>;

  void compile();
  uint32_t pairs(const Passes& passes, bool (FusedStages::*is_ready)() const) const;

  const std::span<StageAdapter* const> adapters_;
  // For frames that do not keep their tensors, and for frames that do, whose passes store more.
  std::array<Passes, 2> passes_;
  std::vector<std::unique_ptr<Leader>> leaders_;  // null: the stage leads no other
  std::array<std::atomic<uint32_t>, 2> on_cores_{}, on_device_{};
  std::atomic<bool> one_kind_{true};
  std::mutex mutex_;  // held while code is compiled; guards what follows
  std::array<bool, 2> begun_{};
  std::shared_ptr<opencl::Context> context_;
};

}  // namespace tandem::bin
