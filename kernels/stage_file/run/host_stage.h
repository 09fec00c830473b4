// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/plane.h"
#include "kernels/stage_file/generate/plan.h"
#include "kernels/stage_file/run/c_compiler.h"
#include "kernels/stage_file/run/host_progress.h"
#include "kernels/stage_file/run/stage_call.h"

namespace tandem {

/// Most tensors of a plan.
inline constexpr std::size_t kMostStageTensors = 32;

/// Whether the file's code for the cores can be compiled here.
bool has_cores(const StageFile& file);

/// What a parameter is before anybody sets it.
StageValue initial_value(const StageParameter& parameter);

/// A step's part of a call: its grid.
StageCall call_of(const StageStep& step, const StageCall& call);

/// What a loop says when it did not end by itself within its bound, from the flags that it left in
/// host memory; empty: all have ended.
std::string unsettled_loop(const StageFile& file, const StagePlan& plan, const StageCall& call);

/// A stage on the cores. Immutable: many threads compute with it.
class HostStage {
 public:
  /// Compiles; throws as compile_c() does.
  HostStage(const StageFile& file, const StagePlan& plan, bool check = false);

  /// Bands are cut of these.
  int rows(const StageCall& call) const;
  /// All steps at once, with the first band, where the plan has no bands.
  void compute(const StageCall& call, Rows rows) const;
  /// Once all rows are there.
  void combine(const StageCall& call) const;
  /// Where the plan has no bands: as many threads as like compute the call together, each by
  /// calling this with the call's own `progress`. It is computed when one of them returns, unless
  /// `stop` said so.
  void share(const StageCall& call, HostProgress& progress, Stop stop = {}) const;
  /// Most bands of a step that is shared.
  static constexpr int kMostBands = 64;

  bool cached() const { return cached_; }  ///< the code came from the cache

 private:
  class Passes;

  const StagePlan plan_;
  std::unique_ptr<LoadedCode> code_;
  std::vector<StageFunction> steps_, combines_;  // combines_ are null but of kReduce
  bool cached_ = false;
};

}  // namespace tandem
