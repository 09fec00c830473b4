// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/scenefeatures.h"

#include <algorithm>
#include <stdexcept>

#include "gst/elements/devicekernels.h"
#include "gst/elements/scenetensors.h"
#include "gst/stage/stageelement.h"

namespace tandem {
namespace {

enum Output { kSpace, kBases, kLuma, kScratch };

class SceneFeaturesWork final : public StageWork {
 public:
  SceneFeaturesWork(std::shared_ptr<SceneFeaturesOpenCL> kernels, const SceneLayout& layout)
      : kernels_(std::move(kernels)), layout_(layout) {
    const bool device = kernels_ != nullptr;
    outputs_ = {
        {kSceneSpace, GST_TANDEM_ELEMENT_TYPE_FLOAT32, 1, {layout.floats()}},
        {"bases", GST_TANDEM_ELEMENT_TYPE_FLOAT32, 1, {layout.base_floats()}, true},
        TensorSpec::of_pixels("luma", layout.width, layout.height, device),
        {"scratch",
         GST_TANDEM_ELEMENT_TYPE_FLOAT32,
         1,
         {device ? SceneFeaturesOpenCL::scratch_floats(layout) : 0},
         true},
    };
  }

  /// Bands of kSceneBandRows: lower ones would blur more rows around them than in them.
  int rows() const override { return (layout_.height_of(0) + kSceneBandRows - 1) / kSceneBandRows; }

  void compute(StageFrame& frame, Rows bands) const override {
    const Rows rows{bands.begin * kSceneBandRows,
                    std::min(bands.end * kSceneBandRows, layout_.height_of(0))};
    scene_first_octave_simd(frame.luma(), frame.output<float>(kSpace), frame.output<float>(kBases),
                            rows, frame.stop());
  }

  void combine(StageFrame& frame) const override {
    scene_next_octaves_simd(layout_, frame.output<float>(kBases), frame.output<float>(kSpace),
                            frame.stop());
  }

  void enqueue(StageFrame& frame, opencl::Queue& queue) const override {
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
    if (std::min(layout.width, layout.height) < kSceneLeastSide) {
      throw std::runtime_error(
          "scenefeatures finds nothing in frames of " + std::to_string(layout.width) + "x" +
          std::to_string(layout.height) + ": put videoscale before it, for 256x256 or at least " +
          std::to_string(kSceneLeastSide) + "x" + std::to_string(kSceneLeastSide) + " pixels.");
    }
    return std::make_unique<SceneFeaturesWork>(device.on(request.context), layout);
  }

  DeviceKernels<SceneFeaturesOpenCL> device;
};

}  // namespace
}  // namespace tandem

GType gst_scene_features_get_type() {
  return tandem::StageElement<tandem::SceneFeaturesElement>::get_type();
}
