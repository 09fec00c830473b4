// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <bit>
#include <optional>

#include "kernels/klt_features/klt_features.h"
#include "kernels/klt_features_cl.h"
#include "kernels/klt_features_select_cl.h"
#include "kernels/opencl/kernel.h"

namespace tandem {
namespace {

constexpr std::size_t kStateWords = 4, kBins = 2048, kChunk = 32;  // as in klt_features_select.cl
constexpr std::size_t kMostLocalBytes = 32 << 10;  // every device has as much for a work-group

/// How many keys are sorted for so many features: keys that are alike are not told apart.
std::size_t sorted_for(int count) {
  return std::bit_ceil(static_cast<std::size_t>(count + std::max(8, count / 16)));
}

}  // namespace

struct KltFeaturesOpenCL::Private {
  explicit Private(opencl::Context& context)
      : strength(opencl::build_program(context, klt_features_cl,
                                       context.device().is_cpu ? " -DON_CPU" : "")),
        selection(opencl::build_program(
            context, klt_features_select_cl,
            opencl::define("SUPPRESSION", kKltSuppressionPixels * kKltSuppressionPixels))),
        in_local_memory(!context.device().is_cpu),
        sum_rows(context, strength, "sum_rows"),
        sum_columns(context, strength, "sum_columns"),
        count(context, selection, "select_count"),
        finish(context, selection, "select_finish"),
        row_group(sum_rows.group_size(opencl::kWindowGroup)),
        column_group(sum_columns.group_size(opencl::kWindowGroup)),
        group(std::min(count.group_size(opencl::kSelectGroup),
                       finish.group_size(opencl::kSelectGroup))),
        // Each has its own counts: few enough that adding these up costs little.
        groups(4 * std::max(1u, context.device().compute_units)) {
    if (!in_local_memory) return;
    sum_pieces.emplace(context, strength, "sum_pieces_of_rows");
    piece_group = sum_pieces->group_size(opencl::kRowGroup);
  }

  void enqueue_row_sums(opencl::Queue& queue, const opencl::DevicePlane& dx,
                        const opencl::DevicePlane& dy, int window, const opencl::DeviceSpan& sums) {
    const int width = dx.width, height = dx.height;
    const int made = static_cast<int>(piece_group) - window + 1;  // of a group, in pieces
    if (made > window) {
      sum_pieces->enqueue(queue,
                          opencl::WorkSize(opencl::pieces(width, made) * piece_group, height),
                          opencl::WorkSize(piece_group, 1), dx, dy, sums, width, height, window,
                          opencl::LocalMemory{6 * piece_group * sizeof(float)});
    } else {
      const std::size_t across = opencl::pieces(width, window) * static_cast<std::size_t>(height);
      sum_rows.enqueue(queue, opencl::round_up(across, row_group), row_group, dx, dy, sums, width,
                       height, window);
    }
  }

  void enqueue_column_sums(opencl::Queue& queue, const opencl::DeviceSpan& sums, int window,
                           const opencl::DevicePlane& out, const opencl::DeviceSpan& ends) {
    const int width = out.width, height = out.height;
    const std::size_t items = opencl::pieces(height, window) * static_cast<std::size_t>(width);
    std::size_t size = column_group;
    const auto enqueue = [&](const auto& memory) {
      sum_columns.enqueue(queue, opencl::round_up(items, size), size, sums, memory, out, width,
                          height, window);
    };
    if (!in_local_memory) return enqueue(ends);
    const std::size_t bytes_an_item = 3 * sizeof(float) * static_cast<std::size_t>(window);
    while (size > 1 && size * bytes_an_item > kMostLocalBytes) size /= 2;
    enqueue(opencl::LocalMemory{size * bytes_an_item});
  }

  const opencl::Program strength, selection;
  const bool in_local_memory;
  opencl::Kernel sum_rows, sum_columns, count, finish;
  std::optional<opencl::Kernel> sum_pieces;
  const std::size_t row_group, column_group, group, groups;
  std::size_t piece_group = 0;
};

KltFeaturesOpenCL::KltFeaturesOpenCL(opencl::Context& context)
    : self_(std::make_unique<Private>(context)) {}

KltFeaturesOpenCL::~KltFeaturesOpenCL() = default;

void KltFeaturesOpenCL::enqueue_strength(opencl::Queue& queue, const opencl::DevicePlane& dx,
                                         const opencl::DevicePlane& dy, int window,
                                         const opencl::DevicePlane& strength,
                                         const opencl::DeviceSpan& scratch) {
  const int width = strength.width, height = strength.height;
  if (width <= 0 || height <= 0) return;
  const opencl::DeviceSpan sums = scratch;
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const opencl::DeviceSpan ends{scratch.mem, scratch.offset + 3 * pixels};
  self_->enqueue_row_sums(queue, dx, dy, window, sums);
  self_->enqueue_column_sums(queue, sums, window, strength, ends);
}

void KltFeaturesOpenCL::enqueue_select(opencl::Queue& queue, const opencl::DevicePlane& strength,
                                       KltCandidates candidates, int count,
                                       const opencl::DeviceSpan& features,
                                       const opencl::DeviceSpan& scratch) {
  if (count <= 0) return;
  if (count > kKltMostFeatures) throw opencl::Error("too many features are asked for");
  const std::size_t group = self_->group, all = self_->groups * group;
  const int peaks_only = candidates == KltCandidates::peaks;
  const std::size_t sorted = sorted_for(count);
  const opencl::LocalMemory shared{(std::max(group, kChunk) + 2) * sizeof(uint32_t)};
  const auto wanted = static_cast<uint32_t>(count);
  static_assert(2 + kBins <= opencl::kZeroedWords);
  void* const zeroed = opencl::zeroed(queue);
  for (int pass = 0; pass < 2; ++pass) {
    self_->count.enqueue(queue, all, group, strength, strength.width, strength.height, peaks_only,
                         scratch, zeroed, pass, wanted, static_cast<uint32_t>(sorted),
                         opencl::LocalMemory{kBins * sizeof(uint32_t)}, shared);
  }
  self_->finish.enqueue(queue, all, group, strength, strength.width, strength.height, peaks_only,
                        scratch, zeroed, wanted, features,
                        opencl::LocalMemory{sorted * sizeof(uint64_t)}, shared);
}

std::size_t KltFeaturesOpenCL::selection_scratch() {
  return kStateWords + 2 * sorted_for(kKltMostFeatures);
}

}  // namespace tandem
