// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/plane.h"
#include "kernels/stage_file/codegen/stage_plan.h"
#include "kernels/stage_file/run/c_compiler.h"
#include "kernels/stage_file/run/host_progress.h"
#include "kernels/stage_file/run/stage_call.h"

namespace tandem {

/// Most tensors of a plan.
inline constexpr std::size_t kMostStageTensors = 32;

/// Whether the file's code for the cores can be compiled here.
bool has_cores(const StageFile& file);

/// The initial value of a parameter.
StageValue initial_value(const StageParameter& parameter);

/// A tensor with dense rows, for frames of this size.
StageView view_of(const StageTensor& tensor, int width, int height, void* data);
std::size_t bytes_of(const StageTensor& tensor, const StageView& view);

/// Sets the grid of a step in a call.
StageCall call_of(const StageStep& step, const StageCall& call);

/// Exchanges the memory that a pass of a LOOP writes and the memory that it reads. `views`: of the
/// plan's tensors.
void swap_passes(const StagePlan& plan, const StageStep& step, std::span<StageView> views);

/// The message for a loop that did not settle within its bound, from its flags in host memory.
/// Empty: all loops have settled.
std::string unsettled_loop(const StageFile& file, const StagePlan& plan, const StageCall& call);

/// A stage on the cores. Immutable; many threads compute with it.
class HostStage {
 public:
  /// Compiles the stage; throws like compile_c().
  HostStage(const StageFile& file, const StagePlan& plan, bool check = false);

  /// Rows of a call, to be cut into bands.
  int rows(const StageCall& call) const;
  /// Computes the rows [first, last). If the plan has no bands, the first band computes everything.
  void compute(const StageCall& call, Rows rows) const;
  /// Called after all rows are computed.
  void combine(const StageCall& call) const;
  /// For a plan without bands: any number of threads compute the call together, each by calling
  /// this with the call's `progress`. The call is complete when one of them returns, unless `stop`
  /// returned true.
  void share(const StageCall& call, HostProgress& progress, Stop stop = {}) const;
  /// Most bands of a step that is shared.
  static constexpr int kMostBands = 64;

  bool cached() const { return cached_; }  ///< the code is from the cache

 private:
  class Passes;

  const StagePlan plan_;
  std::unique_ptr<LoadedCode> code_;
  std::vector<StageFunction> steps_, combines_;  // combines_ are null but of kReduce
  bool cached_ = false;
};

}  // namespace tandem
