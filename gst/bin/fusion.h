// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gst/bin/fusedstages.h"
#include "scheduler/flow/fused.h"

namespace tandem {

/// Consecutive stage files of a chain that are one loop where a frame passes them on one side:
/// which they are, and their code. See decision 27.
class BinFusion {
 public:
  BinFusion(const std::vector<GstTandemStage*>& stages, std::span<StageAdapter* const> adapters);
  ~BinFusion();

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

}  // namespace tandem
