// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/srad/sraddiffuse.h"

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
    outputs_ = {{kSradDifferences,
                 GST_TANDEM_ELEMENT_TYPE_FLOAT32,
                 3,
                 {2, static_cast<gsize>(height_), static_cast<gsize>(width_)}},
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

struct SradDiffuse : SradElement {
  struct Settings {};

  static constexpr char kTypeName[] = "GstSradDiffuse";
  static constexpr char kLongName[] = "SRAD diffuse stage";
  static constexpr char kKlass[] = "Filter/Analyzer/Video";
  static constexpr char kSummary[] =
      "Speckle reduction, stage 4 of 6: computes how much each pixel of the image is to diffuse: "
      "little where it differs from its "
      "neighbours by more than speckle";

  static const StageDescription& description() {
    static const StageDescription description{
        .inputs = {{kSradImage, "sradextract"}, {kSradStatistics, "sradreduce"}}, .whole = {}};
    return description;
  }

  std::unique_ptr<SradDiffuseWork> make_work(const Settings&, const WorkRequest& request) {
    return std::make_unique<SradDiffuseWork>(kernels_for(request), request);
  }
};

}  // namespace
}  // namespace tandem

GType gst_srad_diffuse_get_type() { return tandem::StageElement<tandem::SradDiffuse>::get_type(); }
