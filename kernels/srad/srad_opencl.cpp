// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/opencl/native.h"
#include "kernels/srad/srad.h"
#include "kernels/srad_cl.h"

namespace tandem {

namespace {

bool same(const opencl::DevicePlane& a, const opencl::DevicePlane& b) {
  return a.mem == b.mem && a.offset == b.offset && a.width == b.width && a.height == b.height &&
         a.stride == b.stride;
}
bool whole(const opencl::DevicePlane& plane, Rows rows) {
  return plane.width > 0 && plane.height > 0 && rows.begin == 0 && rows.end == plane.height;
}

}  // namespace

struct SradOpenCL::Private {
  explicit Private(opencl::Context& context)
      : combines(!context.device().is_cpu),
        program(opencl::build_program(context, srad_cl, combines ? "" : " -DON_CPU")),
        extract(context, program, "srad_extract"),
        prepare(context, program, "srad_prepare"),
        reduce(context, program, "srad_reduce"),
        diffuse(context, program, "srad_diffuse"),
        update(context, program, "srad_update"),
        update_reduce(context, program, "srad_update_reduce"),
        compress(context, program, "srad_compress"),
        sum_group(std::min(reduce.group_size(opencl::kSumGroup),
                           update_reduce.group_size(opencl::kSumGroup))),
        most_sums(static_cast<int>(opencl::kSumGroupsAUnit.of(context) *
                                   std::max(1u, context.device().compute_units))) {}

  /// Enqueues a kernel with an item a pixel of the rows. Its last arguments are `size...`, the
  /// work-groups of a row and the first row.
  template <typename... Arguments>
  void pixels(opencl::Kernel& kernel, opencl::Queue& queue, int width, Rows rows,
              const Arguments&... arguments) const {
    if (rows.count() <= 0 || width <= 0) return;
    const std::size_t size = kernel.group_size(opencl::kRowGroup);
    const std::size_t groups = (static_cast<std::size_t>(width) + size - 1) / size;
    kernel.enqueue(queue, groups * size * static_cast<std::size_t>(rows.count()), size,
                   arguments..., static_cast<cl_int>(groups), cl_int{rows.begin});
  }

  void prepare_now(opencl::Queue& queue, const Plane& image, const Plane& squares, Rows rows) {
    pixels(prepare, queue, image.width, rows, image, squares, cl_int{image.width});
  }

  /// Enqueues a kernel that sums the image. `arguments...` come before those of the sums.
  template <typename... Arguments>
  void sum(opencl::Kernel& kernel, opencl::Queue& queue, int width, int height, const Span& sums,
           const Span& statistics, const Arguments&... arguments) const {
    const int rows = rows_a_sum(height);
    const auto groups = static_cast<std::size_t>((height + rows - 1) / rows);
    kernel.enqueue(
        queue, sum_group * groups, sum_group, arguments..., sums, counter_of(queue), cl_int{width},
        cl_int{height}, cl_int{rows}, static_cast<cl_float>(width) * static_cast<cl_float>(height),
        static_cast<cl_float>(kSradLeastVariation), statistics,
        opencl::LocalMemory{sum_group * sizeof(cl_float4)}, opencl::LocalMemory{sizeof(cl_uint)});
  }

  int rows_a_sum(int height) const { return std::max(1, (height + most_sums - 1) / most_sums); }

  /// Counts the work-groups of a reduction; 0 between two.
  static cl_mem counter_of(opencl::Queue& queue) {
    cl::Buffer& counter = queue.native().group_counter;
    if (counter() == nullptr) {
      counter = opencl::checked("make a counter of work-groups", [&] {
        cl_uint none = 0;
        return cl::Buffer(queue.native().device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          sizeof none, &none);
      });
      ++opencl::counters().buffers_created;
    }
    return counter();
  }

  const bool combines;  // stages into launches: a CPU's cost little, and it has vectors
  const opencl::Program program;
  opencl::Kernel extract, prepare, reduce, diffuse, update, update_reduce, compress;
  const std::size_t sum_group;  // of both kernels that sum: the order of a sum depends on it
  const int most_sums;          // work-groups of a reduction
};

// An update that waits for the stages that begin the next iteration. Its elements and theirs have
// kernels of their own, so it says all that they need.
struct SradOpenCL::Left final : opencl::Deferred {
  std::shared_ptr<Private> kernels;
  Plane image, differences, coefficient, updated;
  float rate = 0;
  std::optional<Plane> squares;  // of `updated`, once they are asked for

  void enqueue(opencl::Queue& queue) override {
    const Rows all{0, updated.height};
    enqueue_rows(queue, all);
    if (squares) kernels->prepare_now(queue, updated, *squares, all);
  }

  void enqueue_rows(opencl::Queue& queue, Rows rows) const {
    kernels->pixels(kernels->update, queue, updated.width, rows, image, differences, coefficient,
                    updated, cl_float{rate}, cl_int{updated.width}, cl_int{updated.height});
  }
};

SradOpenCL::SradOpenCL(opencl::Context& context) : self_(std::make_shared<Private>(context)) {}

SradOpenCL::~SradOpenCL() = default;

void SradOpenCL::extract(opencl::Queue& queue, const Plane& luma, const Plane& image,
                         Rows rows) const {
  self_->pixels(self_->extract, queue, image.width, rows, luma, image, cl_int{image.width});
}

// The update that makes `image`, if the queue has deferred it and nothing came since; else null.
SradOpenCL::Left* SradOpenCL::left_on(opencl::Queue& queue, const Plane& image) const {
  auto* left = dynamic_cast<Left*>(queue.native().deferred.get());
  return left && same(left->updated, image) ? left : nullptr;
}

void SradOpenCL::prepare(opencl::Queue& queue, const Plane& image, const Plane& squares,
                         Rows rows) const {
  Left* const left = left_on(queue, image);
  if (left && !left->squares && whole(image, rows)) {
    left->squares = squares;
  } else {
    self_->prepare_now(queue, image, squares, rows);
  }
}

void SradOpenCL::reduce(opencl::Queue& queue, const Plane& image, const Plane& squares,
                        const Span& sums, const Span& statistics) const {
  if (image.width <= 0 || image.height <= 0) return;
  const Left* const left = left_on(queue, image);
  if (left == nullptr || !left->squares || !same(*left->squares, squares)) {
    self_->sum(self_->reduce, queue, image.width, image.height, sums, statistics, image, squares);
    return;
  }
  queue.native().spare = std::move(queue.native().deferred);  // `left`: this launch computes it
  self_->sum(self_->update_reduce, queue, image.width, image.height, sums, statistics, left->image,
             left->differences, left->coefficient, image, squares, cl_float{left->rate});
}

void SradOpenCL::reduce_first(opencl::Queue& queue, const Plane& image, const Plane& squares,
                              const Span& sums, int rows) const {
  if (image.width <= 0 || rows <= 0) return;
  // Statistics of a part, which nobody reads.
  const Span unused{sums.mem, sums.offset + std::size_t{kSumFloats} * rows};
  self_->sum(self_->reduce, queue, image.width, rows, sums, unused, image, squares);
}

int SradOpenCL::sums_of(int rows) const {
  const int together = self_->rows_a_sum(rows);
  return (rows + together - 1) / together;
}

void SradOpenCL::diffuse(opencl::Queue& queue, const Plane& image, const Span& statistics,
                         const Plane& differences, const Plane& coefficient, Rows rows) const {
  self_->pixels(self_->diffuse, queue, image.width, rows, image, statistics, differences,
                coefficient, cl_int{image.width}, cl_int{image.height});
}

void SradOpenCL::update(opencl::Queue& queue, const Plane& image, const Plane& differences,
                        const Plane& coefficient, float lambda, const Plane& updated,
                        Rows rows) const {
  opencl::enqueue_deferred(queue);
  std::unique_ptr<opencl::Deferred>& spare = queue.native().spare;
  if (dynamic_cast<Left*>(spare.get()) == nullptr) spare = std::make_unique<Left>();
  auto& left = static_cast<Left&>(*spare);
  left.kernels = self_;
  left.image = image;
  left.differences = differences;
  left.coefficient = coefficient;
  left.updated = updated;
  left.rate = lambda / 4;
  left.squares.reset();
  if (self_->combines && whole(updated, rows)) {
    queue.native().deferred = std::move(spare);
  } else {
    left.enqueue_rows(queue, rows);
  }
}

void SradOpenCL::compress(opencl::Queue& queue, const Plane& image, const Plane& luma,
                          Rows rows) const {
  self_->pixels(self_->compress, queue, image.width, rows, image, luma, cl_int{image.width});
}

}  // namespace tandem
