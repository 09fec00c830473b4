// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/opencl/kernel.h"
#include "kernels/vivid_classifier/vivid_classifier.h"
#include "kernels/vivid_classifier_cl.h"

namespace tandem {

namespace {

constexpr int kCells = 4;
constexpr int kTileFilters = 20;  // TILE_FILTERS; 100 are five tiles
constexpr int kUnrolled = 2;      // UNROLLED: more would keep registers from the second group
// As in the kernels: how answers lie on a CPU, and on a GPU, where the eighth of a group is unused.
constexpr int kAnswers = 112;
constexpr int kAnswerGroups = 16, kGroupAnswers = 7, kGroupPitch = 8;
constexpr int kLoaders = 4;
// Answers are stored four at a time: floats from one answer to the next, and where they begin.
constexpr std::size_t kAlignment = 4;

/// How the first kernel cuts its work; the numbers that it is built with.
struct Plan {
  int weight_rows = 0;    // filters, padded to whole tiles
  int weight_width = 0;   // answers that lie side by side; 0: as in a tile
  int blocks = 0;         // of a group's tile or of a work-item's panel
  std::size_t items = 0;  // of a group that shares a tile; 0: each has a panel of its own
  std::string options;
};

// Two tiles in local memory, of which one is filled while the other is read: 7x8 answers a
// work-item. 128 blocks a group take 256 work-items and 43 KiB; half and quarter tiles are for
// devices with less of either.
Plan gpu_plan(int filters, int tile_blocks) {
  Plan plan;
  plan.weight_rows = (filters + kTileFilters - 1) / kTileFilters * kTileFilters;
  plan.blocks = tile_blocks;
  plan.items = static_cast<std::size_t>(kAnswerGroups * tile_blocks / 8);
  plan.options = opencl::define("TILE_BLOCKS", tile_blocks) +
                 opencl::define("TILE_FILTERS", kTileFilters) +
                 opencl::define("UNROLLED", kUnrolled) + opencl::define("SUM_WIDTH", 1);
  return plan;
}

// Sums take 16 of the 32 vector registers of AVX-512. Elsewhere they take 12 of 16.
Plan cpu_plan(int filters, const opencl::DeviceDescription& device) {
  Plan plan;
  const bool wide = device.vector_floats >= 16;
  plan.weight_rows = filters;
  plan.weight_width = wide ? 16 : 8;
  plan.blocks = wide ? 16 : 12;
  plan.options = opencl::define("PANEL_BLOCKS", plan.blocks) +
                 opencl::define("WIDTH", plan.weight_width) + opencl::define("SUM_WIDTH", 16);
  return plan;
}

void check(const LinearSvm& svm) {
  if (svm.filters < 1 || svm.filters > 255 ||
      svm.weights.size() !=
          std::size_t{VividWindow::kBlocks} * kCells * static_cast<std::size_t>(svm.filters)) {
    throw opencl::Error("an SVM has 105 blocks of 4 cells of 1 to 255 filters");
  }
}

// As the kernels say, zero where padded.
opencl::ConstantData packed_weights(opencl::Context& context, const LinearSvm& svm,
                                    const Plan& plan) {
  const auto filters = static_cast<std::size_t>(svm.filters);
  const auto rows = static_cast<std::size_t>(plan.weight_rows);
  const auto width = static_cast<std::size_t>(plan.weight_width);
  const auto place = [&](std::size_t answer, std::size_t row) {
    return width > 0 ? (answer / width * kCells * rows + row) * width + answer % width
                     : (row * kAnswerGroups + answer / kGroupAnswers) * kGroupPitch +
                           answer % kGroupAnswers;
  };
  std::vector<float> packed(kCells * rows * std::max(kAnswers, kAnswerGroups * kGroupPitch));
  for (std::size_t block = 0; block < VividWindow::kBlocks; ++block) {
    for (std::size_t c = 0; c < kCells; ++c) {
      for (std::size_t k = 0; k < filters; ++k) {
        packed[place(block, c * rows + k)] = svm.weights[(block * kCells + c) * filters + k];
      }
    }
  }
  return opencl::constant_data(context, packed.data(), packed.size() * sizeof(float));
}

opencl::Program build(opencl::Context& context, const Plan& plan) {
  return opencl::build_program(context, vivid_classifier_cl, plan.options);
}

std::size_t local_bytes(const Plan& plan) {
  const int tile = kTileFilters * (kAnswerGroups * kGroupPitch + plan.blocks + 4);
  return sizeof(float) * static_cast<std::size_t>(2 * tile + kLoaders * plan.blocks);
}

// The largest tile that the device's work-groups and local memory hold.
Plan choose_plan(opencl::Context& context, int filters) {
  const opencl::DeviceDescription& device = context.device();
  if (device.is_cpu) return cpu_plan(filters, device);
  for (const int tile_blocks : {128, 64}) {
    Plan plan = gpu_plan(filters, tile_blocks);
    if (plan.items > device.max_work_group || local_bytes(plan) > device.local_memory_bytes) {
      continue;
    }
    // A kernel's registers may allow fewer work-items than the device does.
    try {
      opencl::Kernel kernel(context, build(context, plan), "vivid_classifier_answers");
      if (kernel.max_group() >= plan.items) return plan;
    } catch (const opencl::Error&) {
      // Drivers may refuse a required size at build time instead.
    }
  }
  return gpu_plan(filters, 32);
}

}  // namespace

struct VividClassifierOpenCL::Private {
  Private(opencl::Context& context, const LinearSvm& svm)
      : plan(choose_plan(context, svm.filters)),
        filters(svm.filters),
        bias(svm.bias),
        epsilon(svm.epsilon),
        weights(packed_weights(context, svm, plan)),
        program(build(context, plan)),
        answers(context, program, "vivid_classifier_answers"),
        sum(context, program, "vivid_classifier_sum"),
        sum_width(static_cast<int>(opencl::kShortRun.of(context))) {}

  const Plan plan;
  const int filters;
  const float bias, epsilon;
  const opencl::ConstantData weights;
  const opencl::Program program;
  opencl::Kernel answers, sum;
  const int sum_width;
};

VividClassifierOpenCL::VividClassifierOpenCL(opencl::Context& context, const LinearSvm& svm) {
  check(svm);
  self_ = std::make_unique<Private>(context, svm);
}

VividClassifierOpenCL::~VividClassifierOpenCL() = default;

std::size_t VividClassifierOpenCL::partial_size(CellGrid cells) {
  const std::size_t blocks = static_cast<std::size_t>(std::max(0, cells.columns - 1)) *
                             static_cast<std::size_t>(std::max(0, cells.rows - 1));
  return opencl::round_up(blocks, kAlignment) * VividWindow::kBlocks + kAlignment;
}

void VividClassifierOpenCL::enqueue(opencl::Queue& queue, const opencl::DeviceSpan& histogram,
                                    CellGrid cells, const opencl::DeviceSpan& partial,
                                    const opencl::DevicePlane& score, Rows score_rows,
                                    int block_rows_end) {
  score_rows.end = std::min(score_rows.end, block_rows_end);
  if (score_rows.count() <= 0 || score.width <= 0) return;
  const int block_columns = cells.columns - 1;
  const int block_rows =
      std::min(score_rows.end + VividWindow::kBlockRows - 1, block_rows_end) - score_rows.begin;
  const int blocks = block_columns * block_rows;

  const auto pitch =
      static_cast<int>(opencl::round_up(static_cast<std::size_t>(blocks), kAlignment));
  const opencl::DeviceSpan answers{partial.mem, opencl::round_up(partial.offset, kAlignment)};
  const std::size_t items = self_->plan.items != 0
                                ? opencl::pieces(blocks, self_->plan.blocks) * self_->plan.items
                                : opencl::pieces(block_columns, self_->plan.blocks) *
                                      static_cast<std::size_t>(block_rows);
  const std::size_t group = std::max<std::size_t>(self_->plan.items, 1);
  self_->answers.enqueue(queue, items, group, histogram, cells.columns, score_rows.begin, blocks,
                         self_->filters, self_->weights, self_->epsilon, answers, pitch);

  const std::size_t sums =
      opencl::pieces(score.width, self_->sum_width) * static_cast<std::size_t>(score_rows.count());
  const std::size_t sum_group = self_->sum.group_size(opencl::kScoreGroup);
  self_->sum.enqueue(queue, opencl::round_up(sums, sum_group), sum_group, answers, pitch,
                     block_columns, block_rows, score, score.width, score_rows.begin,
                     score_rows.count(), self_->bias);
}

}  // namespace tandem
