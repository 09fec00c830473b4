// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/srad/sradupdate.h"

#include "gst/elements/srad/sradwork.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

enum Input { kImage, kDifferences, kCoefficient };

class SradUpdateWork final : public SradWork {
 public:
  SradUpdateWork(SradKernels kernels, const WorkRequest& request, double lambda)
      : SradWork(std::move(kernels), request), lambda_(static_cast<float>(lambda)) {
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

struct SradUpdate : SradElement {
  struct Settings {
    double lambda = 0.5;
    int iterations = 1;
  };

  static constexpr char kTypeName[] = "GstSradUpdate";
  static constexpr char kLongName[] = "SRAD update stage";
  static constexpr char kKlass[] = "Filter/Analyzer/Video";
  static constexpr char kSummary[] =
      "Speckle reduction, stage 5 of 6: diffuses the image by one step";

  static const StageDescription& description() {
    static const StageDescription description{.inputs = {{kSradImage, "sradextract"},
                                                         {kSradDifferences, "sraddiffuse"},
                                                         {kSradCoefficient, "sraddiffuse"}},
                                              .repeats_from = "sradprepare",
                                              .whole = {}};
    return description;
  }

  static const std::vector<StageProperty<Settings>>& properties() {
    static const std::vector<StageProperty<Settings>> properties{
        {"lambda", "Lambda", "How much one iteration smooths (a factor)", &Settings::lambda, 0.001,
         1, /*keeps_work=*/true},
        {"iterations", "Iterations",
         "How often frames pass the stages from sradprepare to this one; more than 1 inside "
         "tandembin only (passes)",
         &Settings::iterations, 1, 10000},
    };
    return properties;
  }

  static int rounds(const Settings& settings) { return settings.iterations; }

  std::unique_ptr<SradUpdateWork> make_work(const Settings& settings, const WorkRequest& request) {
    return std::make_unique<SradUpdateWork>(kernels_for(request), request, settings.lambda);
  }
};

}  // namespace
}  // namespace tandem

GType gst_srad_update_get_type() { return tandem::StageElement<tandem::SradUpdate>::get_type(); }
