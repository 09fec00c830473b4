// SPDX-License-Identifier: LGPL-2.1-or-later

#include "gst/elements/elements.h"
#include "gst/elements/klt/klttensors.h"
#include "gst/elements/stageelement.h"
#include "kernels/klt_flow/klt_flow.h"

namespace tandem {
namespace {

enum Input { kPrevious, kCurrent, kFeatures };

struct FlowSettings {
  int window = 0;
  int iterations = 0;
};

class KltFlowWork final : public StageWork {
 public:
  KltFlowWork(std::shared_ptr<KltFlowOpenCL> kernels, const WorkRequest& request,
              const FlowSettings& settings)
      : kernels_(std::move(kernels)),
        layout_(klt_layout(request, request.inputs[kPrevious])),
        features_(static_cast<int>(request.inputs[kFeatures].spec.shape[0])) {
    klt_layout(request, request.inputs[kCurrent]);
    const KltPreset preset = KltPreset::of(layout_.width, layout_.height);
    settings_ = {settings.window > 0 ? settings.window : preset.window,
                 settings.iterations > 0 ? settings.iterations : preset.iterations};
    outputs_ = {TensorSpec::of<float>(kKltVectors, features_, 5)};
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
  KltFlowSettings settings_;
};

struct KltFlowElement : KernelElement<KltFlowWork, KltFlowOpenCL, FlowSettings> {
  static constexpr char kTypeName[] = "GstKltFlow";
  static constexpr char kLongName[] = "KLT flow stage";
  static constexpr char kSummary[] =
      "Tracking, stage 3 of 4: finds kltfeatures' corners of the previous frame in this one";

  static StageDescription description() {
    return {.inputs = {{kKltPrevious, "kltpyramid"},
                       {kKltCurrent, "kltpyramid"},
                       {kKltFeatures, "kltfeatures"}},
            .whole = "a feature can move to any row, so both sides would need the whole pyramids"};
  }

  static constexpr Property<Settings> kProperties[] = {
      {"window", "Window",
       "Half the side of the patches that are compared; 0: by the size of the frame (pixels)",
       &Settings::window, 0, 128},
      {"iterations", "Iterations",
       "Maximum number of steps towards a feature's new position at each size; 0: by the size of "
       "the frame (steps)",
       &Settings::iterations, 0, 100},
  };
};

}  // namespace
}  // namespace tandem

GType gst_klt_flow_get_type() { return tandem::StageElement<tandem::KltFlowElement>::get_type(); }
