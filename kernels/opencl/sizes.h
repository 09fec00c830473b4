// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

#include "kernels/opencl/opencl.h"

/// How kernels cut their work on each sort of device. All in one place: another sort of device
/// needs a look at every one of them.
namespace tandem::opencl {

/// A number for a device made of the CPU's cores, and one for any other.
struct BySort {
  std::size_t cpu, gpu;

  constexpr std::size_t on_cpu(bool is_cpu) const { return is_cpu ? cpu : gpu; }
  std::size_t of(const Context& context) const { return on_cpu(context.device().is_cpu); }
};

/// Pixels that lie side by side and belong to one work-item: a CPU makes vectors of them, on a GPU
/// neighbours load together what lies side by side.
inline constexpr BySort kRun{64, 1}, kShortRun{16, 1};

/// Most work-items of a group.
inline constexpr BySort kRunGroup{16, 128};      ///< of a run each
inline constexpr BySort kWindowGroup{16, 64};    ///< of a window that slides along a row
inline constexpr BySort kFeatureGroup{16, 256};  ///< that follow one feature
/// A GPU starts few work-groups at a time: small ones cost more than what they compute.
inline constexpr BySort kRowGroup{64, 256};
/// Of a stage file's MAP: work-items of a group, and rows of an item.
inline constexpr BySort kMapGroup{64, 128}, kMapRows{1, 4};
inline constexpr BySort kTileGroup{64, 256};  ///< that holds a part of the frame in local memory
/// A work-group that sums holds a row of a small image and a few of a large one.
inline constexpr BySort kSumGroup{128, 256};
inline constexpr BySort kSumGroupsAUnit{2, 4};    ///< work-groups for each compute unit
inline constexpr BySort kReduceGroups{64, 1024};  ///< at most, of a stage file's REDUCE
inline constexpr BySort kAddGroup{64, 32};        ///< that adds up elements of partial results
inline constexpr BySort kSelectGroup{256, 256}, kBlurGroup{256, 256};
inline constexpr std::size_t kSourceGroup = 64;  ///< of kernels whose source comes from elsewhere
inline constexpr BySort kFilterGroup{128, 64}, kCellGroup{64, 64}, kScoreGroup{64, 64};

}  // namespace tandem::opencl
