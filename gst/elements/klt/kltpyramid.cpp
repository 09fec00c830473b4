// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>

#include "gst/elements/elements.h"
#include "gst/elements/klt/klttensors.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

enum Output { kPrevious, kCurrent, kPreviousLuma, kCurrentLuma };

class KltPyramidWork final : public StageWork {
 public:
  KltPyramidWork(std::shared_ptr<KltPyramidOpenCL> kernels, const WorkRequest& request)
      : kernels_(std::move(kernels)),
        layout_{request.video.width, request.video.height},
        black_(static_cast<std::size_t>(layout_.width) * static_cast<std::size_t>(layout_.height)) {
    const auto luma = [&](const char* name) {
      return TensorSpec::of_pixels(name, layout_.width, layout_.height, kernels_ != nullptr);
    };
    outputs_ = {
        TensorSpec::of<float>(kKltPrevious, layout_.floats()),
        TensorSpec::of<float>(kKltCurrent, layout_.floats()),
        luma("previous-luma"),
        luma("current-luma"),
    };
  }

  /// Those of the frame before, then those of this one.
  int rows() const override { return 2 * layout_.height; }

  void compute(StageFrame& frame, Rows rows) const override {
    const int height = layout_.height;
    const Rows before{rows.begin, std::min(rows.end, height)};
    const Rows now{std::max(0, rows.begin - height), rows.end - height};
    if (before.count() > 0)
      klt_pyramid_simd(previous(frame), layout_.over(frame.output<float>(kPrevious)), before);
    if (now.count() > 0)
      klt_pyramid_simd(frame.luma(), layout_.over(frame.output<float>(kCurrent)), now);
  }

  void enqueue(StageFrame& frame, opencl::Queue& queue) const override {
    const opencl::DevicePlane before = frame.upload(previous(frame), kPreviousLuma);
    kernels_->enqueue(queue, before, {frame.device_output(kPrevious)});
    const opencl::DevicePlane now = frame.upload(frame.luma(), kCurrentLuma);
    kernels_->enqueue(queue, now, {frame.device_output(kCurrent)});
  }

 private:
  // The first frame comes after a black one, which has no features.
  Plane<const uint8_t> previous(const StageFrame& frame) const {
    const Plane<const uint8_t> luma = frame.previous();
    return luma.data
               ? luma
               : Plane<const uint8_t>{black_.data(), layout_.width, layout_.height, layout_.width};
  }

  const std::shared_ptr<KltPyramidOpenCL> kernels_;
  const KltLayout layout_;
  const std::vector<uint8_t> black_;  // a frame
};

struct KltPyramidElement : KernelElement<KltPyramidWork, KltPyramidOpenCL> {
  static constexpr char kTypeName[] = "GstKltPyramid";
  static constexpr char kLongName[] = "KLT pyramid stage";
  static constexpr char kSummary[] =
      "Tracking, stage 1 of 4: blurs each frame and the previous one at two sizes and makes their "
      "gradients";

  static StageDescription description() {
    return {.needs_previous = true, .whole = "its tensors have planes of two heights"};
  }
};

}  // namespace
}  // namespace tandem

GType gst_klt_pyramid_get_type() {
  return tandem::StageElement<tandem::KltPyramidElement>::get_type();
}
