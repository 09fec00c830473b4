// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/stage_file/codegen/stage_plan.h"

/// Fusion: consecutive stages of a chain as one stage, one loop on the cores, one kernel on a
/// device. gst/bin/fusion.h runs it; Fused in scheduler/flow/stage_path.h lists fused stages.
namespace tandem {

struct FusedFiles {
  /// The tensor of the plan of one of the files that a tensor of this plan is.
  struct Origin {
    std::size_t file = 0;
    int tensor = 0;
    bool operator==(const Origin&) const = default;
  };

  StageFile file;               ///< parts and parameters of all files, one file after the other
  StagePlan plan;               ///< one step
  std::vector<Origin> origins;  ///< of each tensor of the plan
  int luma = -1;                ///< tensor of the plan that becomes the frame's luma; -1: none
};

/// The readers of the files' tensors, besides the files themselves.
struct FusedReaders {
  bool keeps_all = false;                                  ///< all tensors stay on the frame
  std::function<bool(const std::string& tensor)> is_read;  ///< by a later stage
};

/// Most parameters of all files together: as many as one file may have.
inline constexpr std::size_t kMostFusedParameters = 32;

/// Fuses files into one loop. Returns nothing if they cannot be one, or if the results might differ
/// by a bit:
///
/// | a file that | cannot be fused because |
/// | --- | --- |
/// | keeps a tensor, makes regions, reduces or is of one side | it is not one loop |
/// | reads neighbours of a tensor of an earlier file | these are not computed yet |
/// | has CONTRACT | a compiler may join operations of two files |
/// | defines macros or types | other files would see them |
///
/// A tensor that only the fused files read, or that a later one of them overwrites, is not stored.
std::optional<FusedFiles> fuse_stage_files(std::span<const StageFile* const> files,
                                           const FusedReaders& readers);

}  // namespace tandem
