// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/klt/kltflow.h"

#include "gst/elements/devicekernels.h"
#include "gst/elements/klt/klttensors.h"
#include "gst/elements/stageelement.h"
#include "kernels/klt_flow/klt_flow.h"

namespace tandem {
namespace {

enum Input { kPrevious, kCurrent, kFeatures };

class KltFlowWork final : public StageWork {
 public:
  KltFlowWork(std::shared_ptr<KltFlowOpenCL> kernels, const KltLayout& layout, int features,
              const KltFlowSettings& settings)
      : kernels_(std::move(kernels)), layout_(layout), features_(features), settings_(settings) {
    outputs_ = {
        {kKltVectors, GST_TANDEM_ELEMENT_TYPE_FLOAT32, 2, {static_cast<gsize>(features_), 5}}};
  }

  /// Features, not rows of the frame.
  int rows() const override { return features_; }

  void compute(StageFrame& frame, Rows range) const override {
    klt_flow_simd(layout_.over(frame.input<float>(kPrevious)),
                  layout_.over(frame.input<float>(kCurrent)),
                  reinterpret_cast<const KltFeature*>(frame.input<float>(kFeatures)), settings_,
                  reinterpret_cast<KltVector*>(frame.output<float>(0)), range);
  }

  void enqueue(StageFrame& frame, opencl::Queue& queue) const override {
    const auto input = [&](Input i) -> opencl::DeviceSpan { return {frame.device_input(i), 0}; };
    kernels_->enqueue(queue, layout_, input(kPrevious), input(kCurrent), input(kFeatures),
                      features_, settings_, {frame.device_output(0), 0});
  }

 private:
  const std::shared_ptr<KltFlowOpenCL> kernels_;
  const KltLayout layout_;
  const int features_;
  const KltFlowSettings settings_;
};

struct KltFlowElement {
  struct Settings {
    int window = 0;
    int iterations = 0;
  };

  static constexpr char kTypeName[] = "GstKltFlow";
  static constexpr char kLongName[] = "KLT flow stage";
  static constexpr char kKlass[] = "Filter/Analyzer/Video";
  static constexpr char kSummary[] =
      "Tracking, stage 3 of 4: follows kltfeatures' corners from the frame before into this one";

  static const StageDescription& description() {
    static const StageDescription description{
        .inputs = {{kKltPrevious, "kltpyramid"},
                   {kKltCurrent, "kltpyramid"},
                   {kKltFeatures, "kltfeatures"}},
        .whole = "a feature moves to any row of the pyramids, which both sides would need whole"};
    return description;
  }

  static const std::vector<StageProperty<Settings>>& properties() {
    static const std::vector<StageProperty<Settings>> properties{
        {"window", "Window",
         "Half the side of the patches that are compared; 0: by the size of the frame (pixels)",
         &Settings::window, 0, 128},
        {"iterations", "Iterations",
         "Most steps towards a feature's new place at each size; 0: by the size of the frame "
         "(steps)",
         &Settings::iterations, 0, 100},
    };
    return properties;
  }

  std::unique_ptr<KltFlowWork> make_work(const Settings& settings, const WorkRequest& request) {
    const KltLayout layout = klt_layout(request, request.inputs[kPrevious]);
    klt_layout(request, request.inputs[kCurrent]);
    const KltPreset preset = KltPreset::of(layout.width, layout.height);
    const KltFlowSettings flow{settings.window > 0 ? settings.window : preset.window,
                               settings.iterations > 0 ? settings.iterations : preset.iterations};
    const auto features = static_cast<int>(request.inputs[kFeatures].spec.shape[0]);
    return std::make_unique<KltFlowWork>(device.on(request.context), layout, features, flow);
  }

  DeviceKernels<KltFlowOpenCL> device;
};

}  // namespace
}  // namespace tandem

GType gst_klt_flow_get_type() { return tandem::StageElement<tandem::KltFlowElement>::get_type(); }
