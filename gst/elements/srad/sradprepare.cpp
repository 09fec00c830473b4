// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/elements.h"
#include "gst/elements/srad/sradwork.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

class SradPrepareWork final : public SradWork {
 public:
  SradPrepareWork(SradKernels kernels, const WorkRequest& request)
      : SradWork(std::move(kernels), request) {
    outputs_ = {image_spec(kSradSquares)};
  }

  void compute(StageFrame& frame, Rows rows) const override {
    srad_prepare_simd(plane(frame.input<float>(0)), plane(frame.output<float>(0)), rows);
  }

  void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const override {
    const auto image = plane(frame.device_input(0));
    kernels_->prepare(queue, image, plane(frame.device_output(0)), rows);
  }
};

struct SradPrepare : KernelElement<SradPrepareWork, SradOpenCL> {
  static constexpr char kTypeName[] = "GstSradPrepare";
  static constexpr char kLongName[] = "SRAD prepare stage";
  static constexpr char kSummary[] =
      "Speckle reduction, stage 2 of 6: squares the image of sradextract or sradupdate";

  static StageDescription description() {
    return {.inputs = {{kSradImage, "sradextract"}}, .whole = {}};
  }
};

}  // namespace
}  // namespace tandem

GType gst_srad_prepare_get_type() { return tandem::StageElement<tandem::SradPrepare>::get_type(); }
