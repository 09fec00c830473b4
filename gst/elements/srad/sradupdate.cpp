// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/elements.h"
#include "gst/elements/srad/sradwork.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

enum Input { kImage, kDifferences, kCoefficient };

struct UpdateSettings {
  double lambda = 0.5;
  int iterations = 1;
};

class SradUpdateWork final : public SradWork {
 public:
  SradUpdateWork(SradKernels kernels, const WorkRequest& request, const UpdateSettings& settings)
      : SradWork(std::move(kernels), request), lambda_(static_cast<float>(settings.lambda)) {
    outputs_ = {image_spec(kSradImage)};
  }

  void compute(StageFrame& frame, Rows rows) const override {
    srad_update_simd(plane(frame.input<float>(kImage)), plane(frame.input<float>(kDifferences), 2),
                     plane(frame.input<float>(kCoefficient)), lambda_,
                     plane(frame.output<float>(0)), rows);
  }

  Rows needs(int input, Rows rows) const override {
    if (input == kImage) return rows;
    return input == kDifferences ? widened(rows, 1, 0) : widened(rows, 0, 1);
  }

  void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const override {
    const auto image = plane(frame.device_input(kImage));
    const auto differences = plane(frame.device_input(kDifferences), 2);
    const auto coefficient = plane(frame.device_input(kCoefficient));
    kernels_->update(queue, image, differences, coefficient, lambda_, plane(frame.device_output(0)),
                     rows);
  }

 private:
  const float lambda_;
};

struct SradUpdate : KernelElement<SradUpdateWork, SradOpenCL, UpdateSettings> {
  static constexpr char kTypeName[] = "GstSradUpdate";
  static constexpr char kLongName[] = "SRAD update stage";
  static constexpr char kSummary[] =
      "Speckle reduction, stage 5 of 6: diffuses the image by one step";

  static StageDescription description() {
    return {.inputs = {{kSradImage, "sradextract"},
                       {kSradDifferences, "sraddiffuse"},
                       {kSradCoefficient, "sraddiffuse"}},
            .repeats_from = "sradprepare",
            .whole = {}};
  }

  static constexpr Property<Settings> kProperties[] = {
      {"lambda", "Lambda", "Strength of the smoothing by one iteration (a factor)",
       &Settings::lambda, 0.001, 1, kKeepsWork},
      {"iterations", "Iterations",
       "Number of passes of a frame through the stages from sradprepare to this one; more than 1 "
       "inside tandembin only (passes)",
       &Settings::iterations, 1, 10000},
  };

  static int rounds(const Settings& settings) { return settings.iterations; }
};

}  // namespace
}  // namespace tandem

GType gst_srad_update_get_type() { return tandem::StageElement<tandem::SradUpdate>::get_type(); }
