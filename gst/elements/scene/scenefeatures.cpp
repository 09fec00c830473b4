// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/scene/scenefeatures.h"

#include <new>
#include <type_traits>

#include "gst/elements/devicekernels.h"
#include "gst/elements/scene/scenetensors.h"
#include "gst/elements/smallframes.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

enum Output { kSpace, kBases, kLuma, kScratch, kProgress };

static_assert(std::is_trivially_destructible_v<SharedRows>);  // nobody ends its life

class SceneFeaturesWork final : public StageWork {
 public:
  SceneFeaturesWork(std::shared_ptr<SceneFeaturesOpenCL> kernels, const SceneLayout& layout)
      : kernels_(std::move(kernels)), layout_(layout) {
    const bool device = kernels_ != nullptr;
    outputs_ = {
        {kSceneSpace, GST_TANDEM_ELEMENT_TYPE_FLOAT16, 1, {layout.values()}},
        {"bases", GST_TANDEM_ELEMENT_TYPE_FLOAT32, 1, {layout.base_floats()}, true},
        TensorSpec::of_pixels("luma", layout.width, layout.height, device),
        {"scratch",
         GST_TANDEM_ELEMENT_TYPE_FLOAT32,
         1,
         {device && !is_empty(layout) ? SceneFeaturesOpenCL::scratch_floats(layout) : 0},
         true},
        {"progress", GST_TANDEM_ELEMENT_TYPE_UINT8, 1, {sizeof(SharedRows)}, true},
    };
    if (is_empty(layout)) {
      notice_ = too_small_notice("No scene can be recognised", {layout.width, layout.height},
                                 {kSceneLeastSide, kSceneLeastSide}, "");
    }
  }

  void prepare(StageFrame& frame) const override { new (frame.output<void>(kProgress)) SharedRows; }

  /// Calls that share the frame: which rows each computes is up to who comes first.
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

struct SceneFeaturesElement {
  struct Settings {};

  static constexpr char kTypeName[] = "GstSceneFeatures";
  static constexpr char kLongName[] = "Scene features stage";
  static constexpr char kKlass[] = "Filter/Analyzer/Video";
  static constexpr char kSummary[] =
      "Scene Recognition, stage 1 of 2: makes the differences of Gaussians and the gradients that "
      "keypoints are found in";

  static const StageDescription& description() {
    static const StageDescription description{
        .whole = "the smallest images of its scale space depend on every row of the frame"};
    return description;
  }

  std::unique_ptr<SceneFeaturesWork> make_work(const Settings&, const WorkRequest& request) {
    const SceneLayout layout{GST_VIDEO_INFO_WIDTH(&request.video),
                             GST_VIDEO_INFO_HEIGHT(&request.video)};
    return std::make_unique<SceneFeaturesWork>(device.on(request.context), layout);
  }

  DeviceKernels<SceneFeaturesOpenCL> device;
};

}  // namespace
}  // namespace tandem

GType gst_scene_features_get_type() {
  return tandem::StageElement<tandem::SceneFeaturesElement>::get_type();
}
