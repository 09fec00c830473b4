// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/opencl/kernel.h"
#include "kernels/srad/srad.h"
#include "kernels/srad_cl.h"

namespace tandem {

namespace {

bool same(const opencl::DevicePlane& a, const opencl::DevicePlane& b) {
  return a.mem == b.mem && a.offset == b.offset && a.width == b.width && a.height == b.height &&
         a.stride == b.stride;
}
bool same(const opencl::DeviceSpan& a, const opencl::DeviceSpan& b) {
  return a.mem == b.mem && a.offset == b.offset;
}
bool whole(const opencl::DevicePlane& plane, Rows rows) {
  return plane.width > 0 && plane.height > 0 && rows.begin == 0 && rows.end == plane.height;
}

constexpr int kDiffusionTileWidth = 64,
              kDiffusionTileHeight = 16;  // pixels that a work-group computes at a time

}  // namespace

struct SradOpenCL::Private {
  explicit Private(opencl::Context& context)
      : combines(!context.device().is_cpu),
        program(opencl::build_program(context, srad_cl,
                                      combines
                                          ? opencl::define("TILE_WIDTH", kDiffusionTileWidth) +
                                                opencl::define("TILE_HEIGHT", kDiffusionTileHeight)
                                          : " -DON_CPU")),
        extract(context, program, "srad_extract"),
        prepare(context, program, "srad_prepare"),
        reduce(context, program, "srad_reduce"),
        diffuse(context, program, "srad_diffuse"),
        update(context, program, "srad_update"),
        compress(context, program, "srad_compress"),
        sum_group(reduce.group_size(opencl::kSumGroup)),
        most_sums(static_cast<int>(opencl::kSumGroupsAUnit.of(context) *
                                   std::max(1u, context.device().compute_units))) {
    if (!combines) return;
    reduce_blocks.emplace(context, program, "srad_reduce_blocks");
    iterate.emplace(context, program, "srad_iterate");
    block_group = std::min(reduce_blocks->group_size(opencl::kSumGroup),
                           iterate->group_size(opencl::kSumGroup));
  }

  /// Enqueues a kernel with an item a pixel of the rows. Its last arguments are `size...`, the
  /// work-groups of a row and the first row.
  template <typename... Arguments>
  void pixels(opencl::Kernel& kernel, opencl::Queue& queue, int width, Rows rows,
              const Arguments&... arguments) const {
    if (rows.count() <= 0 || width <= 0) return;
    const std::size_t size = kernel.group_size(opencl::kRowGroup);
    const std::size_t groups = (static_cast<std::size_t>(width) + size - 1) / size;
    kernel.enqueue(queue, groups * size * static_cast<std::size_t>(rows.count()), size,
                   arguments..., static_cast<int>(groups), rows.begin);
  }

  void prepare_now(opencl::Queue& queue, const Plane& image, const Plane& squares, Rows rows) {
    pixels(prepare, queue, image.width, rows, image, squares, image.width);
  }

  void sum_rows(opencl::Queue& queue, const Plane& image, const Plane& squares, int height,
                const Span& sums, const Span& statistics) {
    const int rows = rows_a_sum(height);
    const auto groups = static_cast<std::size_t>((height + rows - 1) / rows);
    reduce.enqueue(queue, sum_group * groups, sum_group, image, squares, sums,
                   opencl::zeroed(queue), image.width, height, rows, pixels_of(image, height),
                   static_cast<float>(kSradLeastVariation), statistics,
                   opencl::LocalMemory{sum_group * 4 * sizeof(float)},
                   opencl::LocalMemory{sizeof(uint32_t)});
  }

  void reduce_now(opencl::Queue& queue, const Plane& image, const Plane& squares, const Span& sums,
                  const Span& statistics) {
    if (!combines) return sum_rows(queue, image, squares, image.height, sums, statistics);
    const Blocks blocks(image, most_sums);
    const Scratch scratch = scratch_of(queue, image, blocks);
    reduce_blocks->enqueue(queue, blocks.count * block_group, block_group, image, squares,
                           scratch.sums[0].mem, opencl::zeroed(queue), image.width, image.height,
                           blocks.tiles, pixels_of(image, image.height),
                           static_cast<float>(kSradLeastVariation), statistics,
                           opencl::LocalMemory{block_group * 4 * sizeof(float)},
                           opencl::LocalMemory{sizeof(uint32_t)});
  }

  void diffuse_now(opencl::Queue& queue, const Plane& image, const Span& statistics,
                   const Plane& differences, const Plane& coefficient, Rows rows) {
    pixels(diffuse, queue, image.width, rows, image, statistics, differences, coefficient,
           image.width, image.height);
  }

  void update_now(opencl::Queue& queue, const Plane& image, const Plane& differences,
                  const Plane& coefficient, float lambda, const Plane& updated, Rows rows) {
    pixels(update, queue, image.width, rows, image, differences, coefficient, updated, lambda / 4,
           image.width, image.height);
  }

  static float pixels_of(const Plane& image, int height) {
    return static_cast<float>(image.width) * static_cast<float>(height);
  }

  /// How work-groups share an image: so many blocks of so many tiles below each other.
  struct Blocks {
    std::size_t count = 0;
    int tiles = 1;

    Blocks(const Plane& image, int most) {
      const std::size_t columns = opencl::pieces(image.width, kDiffusionTileWidth);
      const auto down = [&] { return opencl::pieces(image.height, kDiffusionTileHeight * tiles); };
      while (down() > 1 && columns * down() > static_cast<std::size_t>(most)) ++tiles;
      count = columns * down();
    }
  };

  /// Data that iterations hand on in memory of the queue: the sums of this one and of the next, in
  /// turns, and an image. No image can be computed in place.
  struct Scratch {
    Span sums[2];
    Plane image;
  };
  static Scratch scratch_of(opencl::Queue& queue, const Plane& image, const Blocks& blocks) {
    const std::size_t sums = kSumFloats * blocks.count;
    const std::size_t floats =
        2 * sums + static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
    void* const mem = opencl::scratch(queue, floats * sizeof(float));
    return {{{mem, 0}, {mem, sums}}, {mem, 2 * sums, image.width, image.height, image.width}};
  }

  int rows_a_sum(int height) const { return std::max(1, (height + most_sums - 1) / most_sums); }

  const bool combines;  // stages into launches: a CPU's cost little, and it has vectors
  const opencl::Program program;
  opencl::Kernel extract, prepare, reduce, diffuse, update, compress;
  std::optional<opencl::Kernel> reduce_blocks, iterate;  // where stages are combined
  const std::size_t sum_group;
  std::size_t block_group = 1;  // of both kernels of blocks: the order of a sum depends on it
  const int most_sums;          // work-groups of a reduction
};

// Stages that wait for those that follow: an iteration from diffuse() to update(), and of the next
// one what came. Once that updates the same image, the first one is enqueued as one launch, without
// what the other writes anew. Elements have kernels of their own, so this says all that they need.
struct SradOpenCL::Left final : opencl::Deferred {
  enum Step { kDiffused, kUpdated, kPrepared, kReduced, kDiffusedAgain };

  std::shared_ptr<Private> kernels;
  Step last = kDiffused;
  Plane image, differences, coefficient, updated;
  Span statistics;
  float lambda = 0;
  Plane squares_after;  // of `updated`
  Span sums_after, statistics_after;
  // Once an iteration was enqueued: its squares and statistics are not there yet, but what it left
  // in the queue's scratch.
  bool follows = false;
  bool image_in_scratch = false;
  int turn = 0;  // which sums are of the image
  Plane squares;
  Span sums;

  void enqueue(opencl::Queue& queue) override {
    const Rows all{0, image.height};
    if (last == kDiffused || !image_in_scratch) {
      if (follows) {
        kernels->prepare_now(queue, image, squares, all);
        kernels->reduce_now(queue, image, squares, sums, statistics);
      }
      kernels->diffuse_now(queue, image, statistics, differences, coefficient, all);
      if (last == kDiffused) return;
      kernels->update_now(queue, image, differences, coefficient, lambda, updated, all);
    } else {
      iterate(queue, true);
    }
    if (last >= kPrepared) kernels->prepare_now(queue, updated, squares_after, all);
    if (last >= kReduced)
      kernels->reduce_now(queue, updated, squares_after, sums_after, statistics_after);
    if (last == kDiffusedAgain)
      kernels->diffuse_now(queue, updated, statistics_after, differences, coefficient, all);
  }

  // Enqueues the first iteration; `keep`: with all that its stages write.
  void iterate(opencl::Queue& queue, bool keep) const {
    const Private& k = *kernels;
    const Private::Blocks blocks(image, k.most_sums);
    const Private::Scratch scratch = k.scratch_of(queue, image, blocks);
    const Plane& from = image_in_scratch ? scratch.image : image;
    const Plane& to = image_in_scratch ? updated : scratch.image;
    // The kernel does not write squares that are not kept; its argument has to be some buffer.
    const Plane& squares_of = keep ? squares : from;
    kernels->iterate->enqueue(
        queue, blocks.count * k.block_group, k.block_group, from, to, scratch.sums[turn],
        int{follows}, scratch.sums[1 - turn], lambda / 4, image.width, image.height, blocks.tiles,
        Private::pixels_of(image, image.height), static_cast<float>(kSradLeastVariation), int{keep},
        statistics, squares_of, differences, coefficient,
        opencl::LocalMemory{k.block_group * 4 * sizeof(float)});
  }

  // Whether another iteration may follow in one launch: what it writes is where the first one does.
  bool takes(const Plane& updated_next) const {
    return same(updated_next, updated) &&
           (!follows || (same(squares_after, squares) && same(statistics_after, statistics)));
  }

  // The iteration that was begun is followed by another one of `updated`, in place.
  void advance(opencl::Queue& queue) {
    iterate(queue, false);
    follows = true;
    image_in_scratch = !image_in_scratch;
    turn = 1 - turn;
    image = updated;
    squares = squares_after;
    sums = sums_after;
    statistics = statistics_after;
  }
};

SradOpenCL::SradOpenCL(opencl::Context& context) : self_(std::make_shared<Private>(context)) {}

SradOpenCL::~SradOpenCL() = default;

void SradOpenCL::extract(opencl::Queue& queue, const Plane& luma, const Plane& image,
                         Rows rows) const {
  self_->pixels(self_->extract, queue, image.width, rows, luma, image, image.width);
}

// The stages that the queue has deferred, if the last one was `step`; else null.
SradOpenCL::Left* SradOpenCL::left_at(opencl::Queue& queue, int step) {
  auto* left = dynamic_cast<Left*>(opencl::deferred_commands(queue).next.get());
  return left && left->last == step ? left : nullptr;
}

void SradOpenCL::prepare(opencl::Queue& queue, const Plane& image, const Plane& squares,
                         Rows rows) const {
  Left* const left = left_at(queue, Left::kUpdated);
  if (left == nullptr || !same(left->updated, image) || !whole(image, rows))
    return self_->prepare_now(queue, image, squares, rows);
  left->squares_after = squares;
  left->last = Left::kPrepared;
}

void SradOpenCL::reduce(opencl::Queue& queue, const Plane& image, const Plane& squares,
                        const Span& sums, const Span& statistics) const {
  if (image.width <= 0 || image.height <= 0) return;
  Left* const left = left_at(queue, Left::kPrepared);
  if (left == nullptr || !same(left->updated, image) || !same(left->squares_after, squares))
    return self_->reduce_now(queue, image, squares, sums, statistics);
  left->sums_after = sums;
  left->statistics_after = statistics;
  left->last = Left::kReduced;
}

void SradOpenCL::reduce_first(opencl::Queue& queue, const Plane& image, const Plane& squares,
                              const Span& sums, int rows) const {
  if (image.width <= 0 || rows <= 0) return;
  // Statistics of a part, which nobody reads.
  const Span unused{sums.mem, sums.offset + std::size_t{kSumFloats} * rows};
  self_->sum_rows(queue, image, squares, rows, sums, unused);
}

int SradOpenCL::sums_of(int rows) const {
  const int together = self_->rows_a_sum(rows);
  return (rows + together - 1) / together;
}

void SradOpenCL::diffuse(opencl::Queue& queue, const Plane& image, const Span& statistics,
                         const Plane& differences, const Plane& coefficient, Rows rows) const {
  if (!self_->combines || !whole(image, rows))
    return self_->diffuse_now(queue, image, statistics, differences, coefficient, rows);
  Left* left = left_at(queue, Left::kReduced);
  if (left && same(left->updated, image) && same(left->statistics_after, statistics) &&
      same(left->differences, differences) && same(left->coefficient, coefficient)) {
    left->last = Left::kDiffusedAgain;
    return;
  }
  opencl::enqueue_deferred(queue);
  auto& [next, spare] = opencl::deferred_commands(queue);
  if (dynamic_cast<Left*>(spare.get()) == nullptr) spare = std::make_unique<Left>();
  left = static_cast<Left*>(spare.get());
  *left = Left{};
  left->kernels = self_;
  left->image = image;
  left->statistics = statistics;
  left->differences = differences;
  left->coefficient = coefficient;
  next = std::move(spare);
}

void SradOpenCL::update(opencl::Queue& queue, const Plane& image, const Plane& differences,
                        const Plane& coefficient, float lambda, const Plane& updated,
                        Rows rows) const {
  Left* const first = left_at(queue, Left::kDiffused);
  Left* const next = first ? nullptr : left_at(queue, Left::kDiffusedAgain);
  Left* const left = first ? first : next;
  if (left == nullptr || !whole(image, rows) || !same(first ? left->image : left->updated, image) ||
      !same(left->differences, differences) || !same(left->coefficient, coefficient) ||
      (next && !next->takes(updated))) {
    return self_->update_now(queue, image, differences, coefficient, lambda, updated, rows);
  }
  if (next) {
    // Enqueuing it would come back here.
    auto deferred = std::move(opencl::deferred_commands(queue).next);
    next->advance(queue);
    opencl::deferred_commands(queue).next = std::move(deferred);
  }
  left->lambda = lambda;
  left->updated = updated;
  left->last = Left::kUpdated;
}

void SradOpenCL::compress(opencl::Queue& queue, const Plane& image, const Plane& luma,
                          Rows rows) const {
  self_->pixels(self_->compress, queue, image.width, rows, image, luma, image.width);
}

}  // namespace tandem
