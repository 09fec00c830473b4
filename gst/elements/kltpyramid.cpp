// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/kltpyramid.h"

#include <algorithm>
#include <cstring>

#include "gst/elements/devicekernels.h"
#include "gst/elements/klttensors.h"
#include "gst/stage/stageelement.h"

namespace tandem {
namespace {

enum Output { kPrevious, kCurrent, kPreviousLuma, kCurrentLuma };

class KltPyramidWork final : public StageWork {
 public:
  KltPyramidWork(std::shared_ptr<KltPyramidOpenCL> kernels, const GstVideoInfo& video)
      : kernels_(std::move(kernels)),
        layout_{GST_VIDEO_INFO_WIDTH(&video), GST_VIDEO_INFO_HEIGHT(&video)},
        black_(static_cast<std::size_t>(layout_.width)) {
    const std::size_t luma = kernels_ ? layout_.pixels_of(0) : 0;
    outputs_ = {
        {kKltPrevious, GST_TANDEM_ELEMENT_TYPE_FLOAT32, 1, {layout_.floats()}},
        {kKltCurrent, GST_TANDEM_ELEMENT_TYPE_FLOAT32, 1, {layout_.floats()}},
        {"previous-luma", GST_TANDEM_ELEMENT_TYPE_UINT8, 1, {luma}, true},
        {"current-luma", GST_TANDEM_ELEMENT_TYPE_UINT8, 1, {luma}, true},
    };
  }

  /// Those of the frame before, then those of this one.
  int rows() const override { return 2 * layout_.height; }

  void compute(StageFrame& frame, Rows rows) const override {
    const int height = layout_.height;
    const Rows before{rows.begin, std::min(rows.end, height)};
    const Rows now{std::max(0, rows.begin - height), rows.end - height};
    // A black frame has no features.
    Plane<const uint8_t> previous = frame.previous;
    if (!previous.data) previous = {black_.data(), layout_.width, height, 0};
    if (before.count() > 0)
      klt_pyramid_simd(previous, layout_.over(frame.output<float>(kPrevious)), before);
    if (now.count() > 0)
      klt_pyramid_simd(frame.luma(), layout_.over(frame.output<float>(kCurrent)), now);
  }

  void enqueue(StageFrame& frame, opencl::Queue& queue) const override {
    enqueue(queue, frame.previous, *frame.outputs[kPreviousLuma].buffer,
            *frame.outputs[kPrevious].buffer);
    enqueue(queue, frame.luma(), *frame.outputs[kCurrentLuma].buffer,
            *frame.outputs[kCurrent].buffer);
  }

 private:
  using Access = opencl::Buffer::Access;

  void enqueue(opencl::Queue& queue, Plane<const uint8_t> source, opencl::Buffer& luma,
               opencl::Buffer& pyramid) const {
    if (source.data) {
      luma.enqueue_upload_rows(queue, source.data, static_cast<std::size_t>(source.width),
                               source.height, static_cast<std::size_t>(source.stride));
    } else {
      std::memset(luma.host(Access::write), 0, luma.size());
    }
    kernels_->enqueue(
        queue, {luma.device(queue, Access::read), 0, layout_.width, layout_.height, layout_.width},
        {pyramid.device(queue, Access::write), 0});
  }

  const std::shared_ptr<KltPyramidOpenCL> kernels_;
  const KltLayout layout_;
  const std::vector<uint8_t> black_;  // one row
};

struct KltPyramidElement {
  struct Settings {};

  static constexpr char kTypeName[] = "GstKltPyramid";
  static constexpr char kLongName[] = "KLT pyramid stage";
  static constexpr char kKlass[] = "Filter/Analyzer/Video";
  static constexpr char kSummary[] =
      "Tracking, stage 1 of 4: blurs each frame and the one before at two sizes and makes their "
      "gradients";

  static const StageDescription& description() {
    static const StageDescription description{.needs_previous = true};
    return description;
  }

  std::unique_ptr<StageWork> make_work(const Settings&, const WorkRequest& request) {
    return std::make_unique<KltPyramidWork>(device.on(request.context), request.video);
  }

  DeviceKernels<KltPyramidOpenCL> device;
};

}  // namespace
}  // namespace tandem

GType gst_klt_pyramid_get_type() {
  return tandem::StageElement<tandem::KltPyramidElement>::get_type();
}
