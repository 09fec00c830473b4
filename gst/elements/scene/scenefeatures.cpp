// SPDX-License-Identifier: LGPL-2.1-or-later

#include <new>
#include <type_traits>

#include "gst/elements/elements.h"
#include "gst/elements/scene/scenetensors.h"
#include "gst/elements/smallframes.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

enum Output { kSpace, kBases, kLuma, kScratch, kProgress };

static_assert(std::is_trivially_destructible_v<SharedRows>);  // never destroyed

class SceneFeaturesWork final : public StageWork {
 public:
  SceneFeaturesWork(std::shared_ptr<SceneFeaturesOpenCL> kernels, const WorkRequest& request)
      : kernels_(std::move(kernels)), layout_{request.video.width, request.video.height} {
    const bool device = kernels_ != nullptr;
    outputs_ = {
        TensorSpec::of<Half>(kSceneSpace, layout_.values()),
        TensorSpec::scratch_of<float>("bases", layout_.base_floats()),
        TensorSpec::of_pixels("luma", layout_.width, layout_.height, device),
        TensorSpec::scratch_of<float>("scratch", device && !is_empty(layout_)
                                                     ? SceneFeaturesOpenCL::scratch_floats(layout_)
                                                     : 0),
        TensorSpec::scratch_of<uint8_t>("progress", sizeof(SharedRows)),
    };
    if (is_empty(layout_)) {
      notice_ = too_small_notice("No scene can be recognised", {layout_.width, layout_.height},
                                 {kSceneLeastSide, kSceneLeastSide}, "");
    }
  }

  void prepare(StageFrame& frame) const override { new (frame.output<void>(kProgress)) SharedRows; }

  /// Calls that share the frame: each takes the next free rows.
  int rows() const override { return SharedRows::kMostThreads; }

  void compute(StageFrame& frame, Rows) const override {
    if (is_empty(layout_)) return;
    scene_features_share(frame.luma(), frame.output<Half>(kSpace), frame.output<float>(kBases),
                         *frame.output<SharedRows>(kProgress), frame.stop());
  }

  void enqueue(StageFrame& frame, opencl::Queue& queue) const override {
    if (is_empty(layout_)) return;
    kernels_->enqueue(queue, frame.upload(frame.luma(), kLuma), {frame.device_output(kSpace)},
                      {frame.device_output(kScratch)});
  }

 private:
  const std::shared_ptr<SceneFeaturesOpenCL> kernels_;
  const SceneLayout layout_;
};

struct SceneFeaturesElement : KernelElement<SceneFeaturesWork, SceneFeaturesOpenCL> {
  static constexpr char kTypeName[] = "GstSceneFeatures";
  static constexpr char kLongName[] = "Scene features stage";
  static constexpr char kSummary[] =
      "Scene Recognition, stage 1 of 2: makes the differences of Gaussians and the gradients that "
      "keypoints are found in";

  static StageDescription description() {
    return {.whole = "the smallest images of its scale space depend on every row of the frame"};
  }
};

}  // namespace
}  // namespace tandem

GType gst_scene_features_get_type() {
  return tandem::StageElement<tandem::SceneFeaturesElement>::get_type();
}
