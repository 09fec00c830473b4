// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/srad/srad_implementation.h"

#include <memory>

#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

template <typename Sum>
auto reduce_by(Sum sum) {
  return
      [sum](Plane<const float> image, Plane<const float> squares, const std::vector<Rows>& bands) {
        std::vector<SradSums> sums(static_cast<std::size_t>(image.height));
        for (const Rows band : bands) sum(image, squares, sums.data(), band);
        return srad_combine(sums.data(), image.width, image.height);
      };
}

SradStages on(const OpenCLDevice& device) {
  const auto context = device.context;
  const auto kernels = std::make_shared<SradOpenCL>(*context);
  SradStages stages;
  stages.name = device.name;
  stages.thread_safe = false;
  stages.extract = [=](Plane<const uint8_t> luma, Plane<float> image, Rows rows) {
    opencl::Queue queue(context);
    DeviceCopy in(context, queue, luma);
    DeviceCopy out(context, queue, image);
    kernels->extract(queue, in.plane(), out.plane(), rows);
    out.fetch();
  };
  stages.prepare = [=](Plane<const float> image, Plane<float> squares, Rows rows) {
    opencl::Queue queue(context);
    DeviceCopy in(context, queue, image);
    DeviceCopy out(context, queue, squares);
    kernels->prepare(queue, in.plane(), out.plane(), rows);
    out.fetch();
  };
  stages.reduce = [=](Plane<const float> image, Plane<const float> squares,
                      const std::vector<Rows>&) {  // the whole image by contract
    constexpr int kFloats = SradOpenCL::kSumFloats;
    Guarded<float> sums(kFloats, image.height, 0), statistics(2, 1);
    opencl::Queue queue(context);
    DeviceCopy in(context, queue, image), in2(context, queue, squares);
    DeviceCopy partial(context, queue, sums.plane()), out(context, queue, statistics.plane());
    kernels->reduce(queue, in.plane(), in2.plane(), partial.span(), out.span());
    partial.fetch();
    out.fetch();
    return SradStatistics{statistics.row(0)[0], statistics.row(0)[1]};
  };
  stages.diffuse = [=](Plane<const float> image, float variation, Plane<float> differences,
                       Plane<float> coefficient, Rows rows) {
    Guarded<float> statistics(2, 1);
    statistics.row(0)[1] = variation;
    opencl::Queue queue(context);
    DeviceCopy in(context, queue, image);
    DeviceCopy q0(context, queue, statistics.plane());
    DeviceCopy out(context, queue, differences), out2(context, queue, coefficient);
    kernels->diffuse(queue, in.plane(), q0.span(), out.plane(), out2.plane(), rows);
    out.fetch();
    out2.fetch();
  };
  stages.update = [=](Plane<const float> image, Plane<const float> differences,
                      Plane<const float> coefficient, float lambda, Plane<float> updated,
                      Rows rows) {
    opencl::Queue queue(context);
    DeviceCopy in(context, queue, image), in2(context, queue, differences);
    DeviceCopy in3(context, queue, coefficient);
    DeviceCopy out(context, queue, updated);
    const bool in_place = image.data == updated.data;
    kernels->update(queue, in_place ? out.plane() : in.plane(), in2.plane(), in3.plane(), lambda,
                    out.plane(), rows);
    out.fetch();
  };
  stages.compress = [=](Plane<const float> image, Plane<uint8_t> luma, Rows rows) {
    opencl::Queue queue(context);
    DeviceCopy in(context, queue, image);
    DeviceCopy out(context, queue, luma);
    kernels->compress(queue, in.plane(), out.plane(), rows);
    out.fetch();
  };
  return stages;
}

}  // namespace

const SradStages& srad_reference() {
  static const SradStages reference{"reference",
                                    true,
                                    0,
                                    srad_extract_ref,
                                    srad_prepare_ref,
                                    reduce_by(srad_reduce_ref),
                                    srad_diffuse_ref,
                                    srad_update_ref,
                                    srad_compress_ref};
  return reference;
}

std::vector<SradStages> srad_implementations() {
  std::vector<SradStages> all;
  for (const SimdTarget& t : simd_targets()) {
    all.push_back({"simd_" + t.name, true, t.target, srad_extract_simd, srad_prepare_simd,
                   reduce_by(srad_reduce_simd), srad_diffuse_simd, srad_update_simd,
                   srad_compress_simd});
  }
  for (const OpenCLDevice& device : opencl_devices()) all.push_back(on(device));
  return all;
}

}  // namespace tandem::check
