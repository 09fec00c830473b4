// SPDX-License-Identifier: LGPL-2.1-or-later
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>

#include "gst/elements/elements.h"
#include "gst/elements/srad/sradwork.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

enum Output { kLuma };

class SradCompressWork final : public SradWork {
 public:
  SradCompressWork(SradKernels kernels, const WorkRequest& request)
      : SradWork(std::move(kernels), request) {
    outputs_ = {luma_spec()};
  }

  void compute(StageFrame& frame, Rows rows) const override {
    srad_compress_simd(plane(frame.input<float>(0)), frame.luma(), rows);
  }

  int planes(int) const override { return 1; }

  void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const override {
    const auto image = plane(frame.device_input(0));
    kernels_->compress(queue, image, plane(frame.device_output(kLuma)), rows);
    frame.download_luma(kLuma);
  }

  void collect(StageFrame& frame) const override { frame.take_luma(kLuma); }

  // By one core it takes a quarter of a split frame's time (1920x1080).
  void join(StageFrame& frame, const SplitRows& rows) const override {
    constexpr int kBand = 64;
    const auto* computed = frame.result<uint8_t>(kLuma);
    const Plane<uint8_t> luma = frame.luma();
    using Range = oneapi::tbb::blocked_range<int>;
    oneapi::tbb::parallel_for(Range(0, rows.device_end, kBand), [&](const Range& band) {
      copy(computed, luma, {band.begin(), band.end()});
    });
  }

 private:
  void copy(const uint8_t* computed, Plane<uint8_t> luma, Rows rows) const {
    for (int y = rows.begin; y < rows.end; ++y)
      std::copy_n(plane(computed).row(y), width_, luma.row(y));
  }
};

struct SradCompress : KernelElement<SradCompressWork, SradOpenCL> {
  static constexpr char kTypeName[] = "GstSradCompress";
  static constexpr char kLongName[] = "SRAD compress stage";
  static constexpr char kKlass[] = "Filter/Effect/Video";
  static constexpr char kSummary[] =
      "Speckle reduction, stage 6 of 6: writes the image into the luma of frames: 255 "
      "log(image)";

  static StageDescription description() {
    return {.inputs = {{kSradImage, "sradextract"}}, .changes_pixels = true, .whole = {}};
  }
};

}  // namespace
}  // namespace tandem

GType gst_srad_compress_get_type() {
  return tandem::StageElement<tandem::SradCompress>::get_type();
}
