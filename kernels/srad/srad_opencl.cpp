// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/opencl/native.h"
#include "kernels/srad/srad.h"
#include "kernels/srad_cl.h"

namespace tandem {

namespace {

// A GPU starts few work-groups at a time: small ones cost more than what they compute.
constexpr std::size_t kCpuGroup = 64, kGpuGroup = 256;  // pixels of a row
constexpr std::size_t kSumGroup = 128;

cl_ulong offset(std::size_t elements) { return elements; }
cl_long stride(const opencl::DevicePlane& plane) { return plane.stride; }

}  // namespace

struct SradOpenCL::Private {
  explicit Private(opencl::Context& context)
      : program(opencl::build_program(context, srad_cl, "-cl-std=CL1.2")),
        extract(context, program, "srad_extract"),
        prepare(context, program, "srad_prepare"),
        reduce(context, program, "srad_reduce"),
        diffuse(context, program, "srad_diffuse"),
        update(context, program, "srad_update"),
        compress(context, program, "srad_compress"),
        group(context.device().is_cpu ? kCpuGroup : kGpuGroup),
        most_sums(2 * static_cast<int>(std::max(1u, context.device().compute_units))) {}

  /// Enqueues a kernel with an item a pixel of the rows. Its last arguments are `size...`, the
  /// work-groups of a row and the first row.
  template <typename... Arguments>
  void pixels(opencl::Kernel& kernel, opencl::Queue& queue, int width, Rows rows,
              const Arguments&... arguments) const {
    if (rows.count() <= 0 || width <= 0) return;
    const std::size_t size = kernel.group_size(group);
    const std::size_t groups = (static_cast<std::size_t>(width) + size - 1) / size;
    kernel.enqueue(queue, groups * size * static_cast<std::size_t>(rows.count()), size,
                   arguments..., static_cast<cl_int>(groups), cl_int{rows.begin});
  }

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

  const opencl::Program program;
  opencl::Kernel extract, prepare, reduce, diffuse, update, compress;
  const std::size_t group;  // pixels
  const int most_sums;      // work-groups of a reduction
};

SradOpenCL::SradOpenCL(opencl::Context& context) : self_(std::make_unique<Private>(context)) {}

SradOpenCL::~SradOpenCL() = default;

void SradOpenCL::extract(opencl::Queue& queue, const Plane& luma, const Plane& image,
                         Rows rows) const {
  self_->pixels(self_->extract, queue, image.width, rows, luma.mem, offset(luma.offset),
                stride(luma), image.mem, offset(image.offset), stride(image), cl_int{image.width});
}

void SradOpenCL::prepare(opencl::Queue& queue, const Plane& image, const Plane& squares,
                         Rows rows) const {
  self_->pixels(self_->prepare, queue, image.width, rows, image.mem, offset(image.offset),
                stride(image), squares.mem, offset(squares.offset), stride(squares),
                cl_int{image.width});
}

void SradOpenCL::reduce(opencl::Queue& queue, const Plane& image, const Plane& squares,
                        const Span& sums, const Span& statistics) const {
  if (image.width <= 0 || image.height <= 0) return;
  const std::size_t group = self_->reduce.group_size(kSumGroup);
  const int rows = (image.height + self_->most_sums - 1) / self_->most_sums;
  const auto groups = static_cast<std::size_t>((image.height + rows - 1) / rows);
  self_->reduce.enqueue(
      queue, group * groups, group, image.mem, offset(image.offset), stride(image), squares.mem,
      offset(squares.offset), stride(squares), sums.mem, offset(sums.offset),
      self_->counter_of(queue), cl_int{image.width}, cl_int{image.height}, cl_int{rows},
      static_cast<cl_float>(image.width) * static_cast<cl_float>(image.height),
      static_cast<cl_float>(kSradLeastVariation), statistics.mem, offset(statistics.offset),
      opencl::LocalMemory{group * sizeof(cl_float4)}, opencl::LocalMemory{sizeof(cl_uint)});
}

void SradOpenCL::diffuse(opencl::Queue& queue, const Plane& image, const Span& statistics,
                         const Plane& differences, const Plane& coefficient, Rows rows) const {
  self_->pixels(self_->diffuse, queue, image.width, rows, image.mem, offset(image.offset),
                stride(image), statistics.mem, offset(statistics.offset), differences.mem,
                offset(differences.offset), stride(differences), coefficient.mem,
                offset(coefficient.offset), stride(coefficient), cl_int{image.width},
                cl_int{image.height});
}

void SradOpenCL::update(opencl::Queue& queue, const Plane& image, const Plane& differences,
                        const Plane& coefficient, float lambda, const Plane& updated,
                        Rows rows) const {
  self_->pixels(self_->update, queue, image.width, rows, image.mem, offset(image.offset),
                stride(image), differences.mem, offset(differences.offset), stride(differences),
                coefficient.mem, offset(coefficient.offset), stride(coefficient), updated.mem,
                offset(updated.offset), stride(updated), cl_float{lambda / 4}, cl_int{image.width},
                cl_int{image.height});
}

void SradOpenCL::compress(opencl::Queue& queue, const Plane& image, const Plane& luma,
                          Rows rows) const {
  self_->pixels(self_->compress, queue, image.width, rows, image.mem, offset(image.offset),
                stride(image), luma.mem, offset(luma.offset), stride(luma), cl_int{image.width});
}

}  // namespace tandem
