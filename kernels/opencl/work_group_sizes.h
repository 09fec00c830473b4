// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

#include "kernels/opencl/opencl.h"

/// Sizes into which kernels cut their work, on each sort of device. They stand in one place because
/// another sort of device needs new values for all of them.
namespace tandem::opencl {

/// A number for a device made of the CPU's cores, and one for any other.
struct CpuOrGpu {
  std::size_t cpu, gpu;

  constexpr std::size_t on_cpu(bool is_cpu) const { return is_cpu ? cpu : gpu; }
  std::size_t of(const Context& context) const { return on_cpu(context.device().is_cpu); }
};

/// Adjacent pixels of one work-item. A CPU makes vectors of them. On a GPU each work-item has one,
/// so that neighbouring work-items load adjacent pixels together.
inline constexpr CpuOrGpu kRun{64, 1}, kShortRun{16, 1};

/// Most work-items of a group.
inline constexpr CpuOrGpu kRunGroup{16, 128};      ///< a run each
inline constexpr CpuOrGpu kWindowGroup{16, 64};    ///< a window that slides along a row
inline constexpr CpuOrGpu kFeatureGroup{16, 256};  ///< all on one feature
/// A GPU starts few work-groups at a time: starting a small one costs more than its work.
inline constexpr CpuOrGpu kRowGroup{64, 256};
/// A stage file's MAP: work-items of a group, and rows of a work-item.
inline constexpr CpuOrGpu kMapGroup{64, 128}, kMapRows{1, 4};
inline constexpr CpuOrGpu kTileGroup{64, 256};  ///< with a tile of the frame in local memory
/// A work-group that sums: a row of a small image is one group, a row of a large one a few.
inline constexpr CpuOrGpu kSumGroup{128, 256};
inline constexpr CpuOrGpu kSumGroupsAUnit{2, 4};    ///< work-groups for each compute unit
inline constexpr CpuOrGpu kReduceGroups{64, 1024};  ///< most groups of a stage file's REDUCE
inline constexpr CpuOrGpu kAddGroup{64, 32};        ///< adds elements of partial results
inline constexpr CpuOrGpu kSelectGroup{256, 256}, kBlurGroup{256, 256};
inline constexpr std::size_t kSourceGroup = 64;  ///< kernels of a SourceKernel
inline constexpr CpuOrGpu kFilterGroup{128, 64}, kCellGroup{64, 64}, kScoreGroup{64, 64};

}  // namespace tandem::opencl
