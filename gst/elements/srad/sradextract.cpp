// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/elements.h"
#include "gst/elements/srad/sradwork.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

enum Output { kImage, kLuma };

class SradExtractWork final : public SradWork {
 public:
  SradExtractWork(SradKernels kernels, const WorkRequest& request)
      : SradWork(std::move(kernels), request) {
    outputs_ = {image_spec(kSradImage), luma_spec()};
  }

  void compute(StageFrame& frame, Rows rows) const override {
    srad_extract_simd(frame.luma(), plane(frame.output<float>(kImage)), rows);
  }

  void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const override {
    const opencl::DevicePlane luma = frame.upload(frame.luma(), kLuma, rows.end);
    kernels_->extract(queue, luma, plane(frame.device_output(kImage)), rows);
  }
};

struct SradExtract : KernelElement<SradExtractWork, SradOpenCL> {
  static constexpr char kTypeName[] = "GstSradExtract";
  static constexpr char kLongName[] = "SRAD extract stage";
  static constexpr char kSummary[] =
      "Speckle reduction, stage 1 of 6: takes the luma p of frames as an image, exp(p / 255)";

  static StageDescription description() { return {.whole = {}}; }
};

}  // namespace
}  // namespace tandem

GType gst_srad_extract_get_type() { return tandem::StageElement<tandem::SradExtract>::get_type(); }
