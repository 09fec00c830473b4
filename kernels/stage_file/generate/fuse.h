// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/stage_file/generate/plan.h"

/// Stages that follow each other in a chain as one stage: one loop on the cores, one kernel on a
/// device.
namespace tandem {

struct FusedFiles {
  /// Where a tensor of the plan is: in the plan of one of the files.
  struct Origin {
    std::size_t file = 0;
    int tensor = 0;
    bool operator==(const Origin&) const = default;
  };

  StageFile file;  ///< the parts of all, and the parameters of all, one file after the other
  StagePlan plan;  ///< one step
  std::vector<Origin> origins;  ///< one a tensor of the plan
  int luma = -1;                ///< the tensor of the plan that becomes the frame's luma; -1: none
};

/// Who wants what the files write, besides themselves.
struct FusedReaders {
  bool keeps_all = false;                                  ///< all tensors go on with the frame
  std::function<bool(const std::string& tensor)> is_read;  ///< by a stage behind them
};

/// Most parameters of all files: those of one.
inline constexpr std::size_t kMostFusedParameters = 32;

/// None where they cannot be one loop: a file that keeps something, makes regions, is of one side,
/// reduces, or reads neighbours of what a file before it writes. Nor where they could be and would
/// not give the same bits, or not surely: CONTRACT lets a compiler join what two files compute, and
/// macros and types of one file would be seen by another.
///
/// What a later one of the files reads or makes anew is not stored unless others want it. The rest
/// is.
std::optional<FusedFiles> fuse_stage_files(std::span<const StageFile* const> files,
                                           const FusedReaders& readers);

}  // namespace tandem
