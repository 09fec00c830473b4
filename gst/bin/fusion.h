// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stageadapter.h>
#include <gst/tandem/private/stagedescription.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "gst/elements/kernelstage/stagefilework.h"
#include "kernels/stage_file/generate/fuse.h"
#include "scheduler/flow/fused.h"

namespace tandem::bin {

/// Stages of a chain in one pass over a frame: what their files make together, compiled, and where
/// the slots of a frame have what it reads and writes.
class FusedStages {
 public:
  /// `first`: the place of the first one in the chain.
  FusedStages(FusedFiles fused, std::size_t first) : fused_(std::move(fused)), first_(first) {}

  /// Compiles for the cores, and for the device unless `context` is null, what is not compiled yet.
  /// What does not compile stays as it is: the stages are then computed one by one, and say what is
  /// wrong. One thread at a time, others may compute meanwhile.
  void compile(const std::shared_ptr<opencl::Context>& context);
  bool on_cores() const { return has_host_; }
  bool on_device() const { return has_device_; }

  // Of a frame that all of the stages have prepared; the functions of Stage. All may throw.
  void begin(FrameItem& item) const;
  int rows(const FrameItem& item) const;
  void compute(FrameItem& item, Rows rows) const;
  void enqueue(FrameItem& item, opencl::Queue& queue) const;
  /// What the passes before and the stages behind want of it, in the order of the stages.
  template <typename Body>
  void each_output(FrameItem& item, Body&& body) const {
    for (std::size_t i = 0; i < fused_.origins.size(); ++i)
      if (static_cast<int>(i) != fused_.luma && is_output(item, i)) body(output(item, i));
  }
  void finish(FrameItem& item) const;

 private:
  using Views = std::array<StageView, kMostStageTensors>;
  using Values = std::array<StageValue, kMostFusedParameters>;

  FrameItem::Slot& slot(FrameItem& item, std::size_t tensor) const {
    return item.slots[first_ + fused_.origins[tensor].file];
  }
  static const StageFileWork& work(const FrameItem::Slot& slot);
  const StageFileWork::Place& place(FrameItem& item, std::size_t tensor) const;
  bool is_output(FrameItem& item, std::size_t tensor) const;
  SlotTensor& output(FrameItem& item, std::size_t tensor) const;
  SlotTensor& input(FrameItem& item, std::size_t tensor) const;
  StageView view(const FrameItem& item, std::size_t tensor, void* data) const;
  StageCall call(FrameItem& item, const Views& views, Values& values) const;

  const FusedFiles fused_;
  const std::size_t first_;
  bool tried_host_ = false, tried_device_ = false;
  std::unique_ptr<const HostStage> host_;
  std::unique_ptr<const StageFileOpenCL> device_;
  std::atomic<bool> has_host_{false}, has_device_{false};  // set when the code is there to stay
};

/// Consecutive stage files of a chain that are one loop where a frame passes them on one side:
/// which they are, and their code. See decision 27.
class Fusion {
 public:
  Fusion(const std::vector<GstTandemStage*>& stages, std::span<StageAdapter* const> adapters);
  ~Fusion();

  /// Stage k as the executor has it: one that can lead others, where it may have to.
  Stage* scheduled(int k) const;

  /// Compiles for frames that keep their tensors, or do not, before the first of them comes.
  void begin(bool keeps_tensors);
  /// Compiles what is begun for the device, before frames may go there.
  void use_device(std::shared_ptr<opencl::Context> context);
  /// What can be fused of a frame that comes now. From any thread.
  Fused fused(bool keeps_tensors) const;

 private:
  class Leader;
  using Range = std::pair<int, int>;  // first stage, how many
  using Passes = std::map<Range, std::unique_ptr<FusedStages>>;

  void compile();
  uint32_t pairs(const Passes& passes, bool (FusedStages::*is_ready)() const) const;

  const std::span<StageAdapter* const> adapters_;
  // For frames that do not keep their tensors, and for those that do: what is stored differs.
  std::array<Passes, 2> passes_;
  std::vector<std::unique_ptr<Leader>> leaders_;  // null: the stage leads no other
  std::array<std::atomic<uint32_t>, 2> on_cores_{}, on_device_{};
  std::atomic<bool> one_kind_{true};
  std::mutex mutex_;  // held while code is compiled; guards what follows
  std::array<bool, 2> begun_{};
  std::shared_ptr<opencl::Context> context_;
};

}  // namespace tandem::bin
