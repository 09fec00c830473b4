// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/native.h"
#include "kernels/srad/srad.h"
#include "kernels/srad_cl.h"

namespace tandem {

namespace {

constexpr std::size_t kGroup = 64;  // pixels, or partial sums of a row

cl_ulong offset(std::size_t elements) { return elements; }
cl_long stride(const opencl::DevicePlane& plane) { return plane.stride; }

}  // namespace

struct SradOpenCL::Private {
  explicit Private(opencl::Context& context)
      : program(opencl::build_program(context, srad_cl, "-cl-std=CL1.2")),
        extract(context, program, "srad_extract"),
        prepare(context, program, "srad_prepare"),
        reduce(context, program, "srad_reduce"),
        combine(context, program, "srad_combine"),
        diffuse(context, program, "srad_diffuse"),
        update(context, program, "srad_update"),
        compress(context, program, "srad_compress") {}

  /// Enqueues a kernel with an item a pixel of the rows. Its last arguments are `size...`, the
  /// work-groups of a row and the first row.
  template <typename... Arguments>
  static void pixels(opencl::Kernel& kernel, opencl::Queue& queue, int width, Rows rows,
                     const Arguments&... arguments) {
    if (rows.count() <= 0 || width <= 0) return;
    const std::size_t group = kernel.group_size(kGroup);
    const std::size_t groups = (static_cast<std::size_t>(width) + group - 1) / group;
    kernel.enqueue(queue, groups * group * static_cast<std::size_t>(rows.count()), group,
                   arguments..., static_cast<cl_int>(groups), cl_int{rows.begin});
  }

  const cl::Program program;
  opencl::Kernel extract, prepare, reduce, combine, diffuse, update, compress;
};

SradOpenCL::SradOpenCL(opencl::Context& context) : self_(std::make_unique<Private>(context)) {}

SradOpenCL::~SradOpenCL() = default;

void SradOpenCL::extract(opencl::Queue& queue, const Plane& luma, const Plane& image,
                         Rows rows) const {
  Private::pixels(self_->extract, queue, image.width, rows, luma.mem, offset(luma.offset),
                  stride(luma), image.mem, offset(image.offset), stride(image),
                  cl_int{image.width});
}

void SradOpenCL::prepare(opencl::Queue& queue, const Plane& image, const Plane& squares,
                         Rows rows) const {
  Private::pixels(self_->prepare, queue, image.width, rows, image.mem, offset(image.offset),
                  stride(image), squares.mem, offset(squares.offset), stride(squares),
                  cl_int{image.width});
}

void SradOpenCL::reduce(opencl::Queue& queue, const Plane& image, const Plane& squares,
                        const Span& sums, Rows rows) const {
  if (rows.count() <= 0) return;
  const std::size_t group = self_->reduce.group_size(kGroup);
  self_->reduce.enqueue(queue, group * static_cast<std::size_t>(rows.count()), group, image.mem,
                        offset(image.offset), stride(image), squares.mem, offset(squares.offset),
                        stride(squares), sums.mem, offset(sums.offset), cl_int{image.width},
                        cl_int{rows.begin}, opencl::LocalMemory{group * sizeof(cl_float4)});
}

void SradOpenCL::combine(opencl::Queue& queue, const Span& sums, int width, int height,
                         const Span& statistics) const {
  const std::size_t group = self_->combine.group_size(kGroup);
  self_->combine.enqueue(queue, group, group, sums.mem, offset(sums.offset), cl_int{height},
                         static_cast<cl_float>(width) * static_cast<cl_float>(height),
                         static_cast<cl_float>(kSradLeastVariation), statistics.mem,
                         offset(statistics.offset), opencl::LocalMemory{group * sizeof(cl_float4)});
}

void SradOpenCL::diffuse(opencl::Queue& queue, const Plane& image, const Span& statistics,
                         const Plane& differences, const Plane& coefficient, Rows rows) const {
  Private::pixels(self_->diffuse, queue, image.width, rows, image.mem, offset(image.offset),
                  stride(image), statistics.mem, offset(statistics.offset), differences.mem,
                  offset(differences.offset), stride(differences), coefficient.mem,
                  offset(coefficient.offset), stride(coefficient), cl_int{image.width},
                  cl_int{image.height});
}

void SradOpenCL::update(opencl::Queue& queue, const Plane& image, const Plane& differences,
                        const Plane& coefficient, float lambda, const Plane& updated,
                        Rows rows) const {
  Private::pixels(self_->update, queue, image.width, rows, image.mem, offset(image.offset),
                  stride(image), differences.mem, offset(differences.offset), stride(differences),
                  coefficient.mem, offset(coefficient.offset), stride(coefficient), updated.mem,
                  offset(updated.offset), stride(updated), cl_float{lambda / 4},
                  cl_int{image.width}, cl_int{image.height});
}

void SradOpenCL::compress(opencl::Queue& queue, const Plane& image, const Plane& luma,
                          Rows rows) const {
  Private::pixels(self_->compress, queue, image.width, rows, image.mem, offset(image.offset),
                  stride(image), luma.mem, offset(luma.offset), stride(luma), cl_int{image.width});
}

}  // namespace tandem
