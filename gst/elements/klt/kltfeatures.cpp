// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <string>

#include "gst/elements/elements.h"
#include "gst/elements/klt/klttensors.h"
#include "gst/elements/smallframes.h"
#include "gst/elements/stageelement.h"
#include "kernels/klt_features/klt_features.h"

namespace tandem {
namespace {

enum Output { kFeatures, kStrength, kSums, kSelection, kGreatest };

struct FeaturesSettings {
  int window = 0;
  int features = 0;
  bool peaks = true;
};

class KltFeaturesWork final : public StageWork {
 public:
  KltFeaturesWork(std::shared_ptr<KltFeaturesOpenCL> kernels, const WorkRequest& request,
                  const FeaturesSettings& settings)
      : kernels_(std::move(kernels)),
        layout_(klt_layout(request, request.inputs[0])),
        candidates_(settings.peaks ? KltCandidates::peaks : KltCandidates::pixels) {
    const KltPreset preset = KltPreset::of(layout_.width, layout_.height);
    window_ = settings.window > 0 ? settings.window : preset.window;
    features_ = settings.features > 0 ? settings.features : preset.features;
    const bool device = kernels_ != nullptr;
    const gsize pixels = layout_.pixels_of(0);
    outputs_ = {
        TensorSpec::of<float>(kKltFeatures, features_, 3),
        TensorSpec::scratch_of<float>("strength", pixels),
        TensorSpec::scratch_of<float>("sums", device ? 6 * pixels : 0),
        TensorSpec::scratch_of<int>("selection",
                                    device ? KltFeaturesOpenCL::selection_scratch() : 0),
        TensorSpec::scratch_of<float>("greatest", layout_.height, klt_blocks(layout_.width)),
    };
    if (layout_.width <= 2 * window_ || layout_.height <= 2 * window_) {
      const int needed = 2 * window_ + 1, fits = (std::min(layout_.width, layout_.height) - 1) / 2;
      notice_ = too_small_notice("No corner can be found", {layout_.width, layout_.height},
                                 {needed, needed},
                                 fits > 0 ? "kltfeatures window=" + std::to_string(fits) : "");
    }
  }

  int rows() const override { return layout_.height; }

  void compute(StageFrame& frame, Rows rows) const override {
    const KltLevel<const float> level = layout_.over(frame.input<float>(0)).levels[0];
    const Plane<float> strength = plane(frame.output<float>(kStrength));
    klt_strength_simd(level.dx, level.dy, window_, strength, rows);
    klt_greatest_simd(strength, blocks(frame.output<float>(kGreatest)), rows);
  }

  void combine(StageFrame& frame) const override {
    klt_select_in_blocks_simd(plane<const float>(frame.output<float>(kStrength)),
                              blocks<const float>(frame.output<float>(kGreatest)), candidates_,
                              features_,
                              reinterpret_cast<KltFeature*>(frame.output<float>(kFeatures)));
  }

  void enqueue(StageFrame& frame, opencl::Queue& queue) const override {
    void* const pyramid = frame.device_input(0);
    const auto gradient = [&](int plane) {
      return opencl::DevicePlane{pyramid, layout_.first(0, plane), layout_.width, layout_.height,
                                 layout_.stride_of(0)};
    };
    const auto output = [&](Output o) { return frame.device_output(o); };
    const opencl::DevicePlane strength{output(kStrength), 0, layout_.width, layout_.height,
                                       layout_.width};
    kernels_->enqueue_strength(queue, gradient(1), gradient(2), window_, strength,
                               {output(kSums), 0});
    kernels_->enqueue_select(queue, strength, candidates_, features_, {output(kFeatures), 0},
                             {output(kSelection), 0});
  }

 private:
  template <typename T>
  Plane<T> plane(T* data) const {
    return {data, layout_.width, layout_.height, layout_.width};
  }
  template <typename T>
  Plane<T> blocks(T* data) const {
    const int width = klt_blocks(layout_.width);
    return {data, width, layout_.height, width};
  }

  const std::shared_ptr<KltFeaturesOpenCL> kernels_;
  const KltLayout layout_;
  const KltCandidates candidates_;
  int window_, features_;
};

struct KltFeaturesElement : KernelElement<KltFeaturesWork, KltFeaturesOpenCL, FeaturesSettings> {
  static constexpr char kTypeName[] = "GstKltFeatures";
  static constexpr char kLongName[] = "KLT features stage";
  static constexpr char kSummary[] =
      "Tracking, stage 2 of 4: finds the corners of the previous frame that can be followed";

  static StageDescription description() {
    return {
        .inputs = {{kKltPrevious, "kltpyramid"}},
        .whole =
            "the strongest features of the whole frame are kept, and each drops its neighbours"};
  }

  static constexpr Property<Settings> kProperties[] = {
      {"window", "Window",
       "Side of the square whose texture makes a corner; 0: by the size of the frame (pixels)",
       &Settings::window, 0, 128},
      {"features", "Features",
       "Number of the strongest corners to take, before those next to a stronger one are dropped; "
       "0: by the size of the frame (corners)",
       &Settings::features, 0, kKltMostFeatures},
      {"peaks", "Peaks",
       "Take corners where their strength has a peak, which spreads them over the frame; false: "
       "any of the strongest pixels, as the San Diego Vision Benchmark Suite does",
       &Settings::peaks},
  };
};

}  // namespace
}  // namespace tandem

GType gst_klt_features_get_type() {
  return tandem::StageElement<tandem::KltFeaturesElement>::get_type();
}
