// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/elements.h"
#include "gst/elements/srad/sradwork.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

enum Input { kImage, kStatistics };
enum Output { kDifferences, kCoefficient };

class SradDiffuseWork final : public SradWork {
 public:
  SradDiffuseWork(SradKernels kernels, const WorkRequest& request)
      : SradWork(std::move(kernels), request) {
    outputs_ = {TensorSpec::of<float>(kSradDifferences, 2, height_, width_),
                image_spec(kSradCoefficient)};
  }

  void compute(StageFrame& frame, Rows rows) const override {
    srad_diffuse_simd(plane(frame.input<float>(kImage)),
                      frame.input<SradStatistics>(kStatistics)->variation,
                      plane(frame.output<float>(kDifferences), 2),
                      plane(frame.output<float>(kCoefficient)), rows);
  }

  int planes(int output) const override { return output == kDifferences ? 2 : 1; }

  Rows needs(int, Rows rows) const override { return widened(rows, 1, 1); }

  void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const override {
    const auto image = plane(frame.device_input(kImage));
    const opencl::DeviceSpan statistics{frame.device_input(kStatistics)};
    kernels_->diffuse(queue, image, statistics, plane(frame.device_output(kDifferences), 2),
                      plane(frame.device_output(kCoefficient)), rows);
  }
};

struct SradDiffuse : KernelElement<SradDiffuseWork, SradOpenCL> {
  static constexpr char kTypeName[] = "GstSradDiffuse";
  static constexpr char kLongName[] = "SRAD diffuse stage";
  static constexpr char kSummary[] =
      "Speckle reduction, stage 4 of 6: computes how much each pixel of the image is to diffuse: "
      "little where it differs from its "
      "neighbours by more than speckle";

  static StageDescription description() {
    return {.inputs = {{kSradImage, "sradextract"}, {kSradStatistics, "sradreduce"}}, .whole = {}};
  }
};

}  // namespace
}  // namespace tandem

GType gst_srad_diffuse_get_type() { return tandem::StageElement<tandem::SradDiffuse>::get_type(); }
