// SPDX-License-Identifier: LGPL-2.1-or-later

#include <string>

#include "gst/elements/elements.h"
#include "gst/elements/network/networkmodel.h"
#include "gst/elements/stageelement.h"
#include "kernels/network_input/network_input.h"

namespace tandem {
namespace {

enum Output { kTensor, kLuma, kFirstChroma, kSecondChroma };

network::YuvMatrix matrix_of(const GstVideoInfo& video) {
  network::YuvMatrix matrix;
  gst_video_color_matrix_get_Kr_Kb(video.colorimetry.matrix, &matrix.kr, &matrix.kb);
  if (video.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235) {
    matrix.luma_zero = 16;
    matrix.luma_range = 219;
    matrix.chroma_range = 224;
  }
  return matrix;
}

network::InputTransform::Frame layout_of(const GstVideoInfo& video) {
  const bool grey = GST_VIDEO_INFO_N_COMPONENTS(&video) == 1;
  return {GST_VIDEO_INFO_WIDTH(&video), GST_VIDEO_INFO_HEIGHT(&video),
          grey ? 0 : GST_VIDEO_INFO_COMP_WIDTH(&video, GST_VIDEO_COMP_U),
          grey ? 0 : GST_VIDEO_INFO_COMP_HEIGHT(&video, GST_VIDEO_COMP_U), matrix_of(video)};
}

class DnnInputWork final : public StageWork {
 public:
  DnnInputWork(std::shared_ptr<const NetworkModel> model, const WorkRequest& request)
      : model_(std::move(model)),
        transform_(model_->info, model_->input.channels, model_->input.width, model_->input.height,
                   layout_of(request.video)),
        interleaved_(GST_VIDEO_INFO_N_PLANES(&request.video) == 2),
        device_(request.context
                    ? std::make_unique<network::NetworkInputOpenCL>(*request.context, transform_)
                    : nullptr) {
    const network::InputTransform::Frame frame = layout_of(request.video);
    const bool chroma = device_ && transform_.uses_chroma;
    const int chroma_bytes = frame.chroma_width * (interleaved_ ? 2 : 1);
    outputs_ = {
        TensorSpec::of<float>(kDnnInput, 1, model_->input.channels, model_->input.height,
                              model_->input.width),
        TensorSpec::of_pixels("luma", frame.width, frame.height, device_ != nullptr),
        TensorSpec::of_pixels("first-chroma", chroma_bytes, frame.chroma_height, chroma),
        TensorSpec::of_pixels("second-chroma", chroma_bytes, frame.chroma_height,
                              chroma && !interleaved_),
    };
  }

  int rows() const override { return model_->input.height; }

  void compute(StageFrame& frame, Rows rows) const override {
    network::YuvFrame yuv{frame.luma(), {}, {}};
    if (transform_.uses_chroma) {
      yuv.u = component(frame, GST_VIDEO_COMP_U);
      yuv.v = component(frame, GST_VIDEO_COMP_V);
      yuv.chroma_step = GST_VIDEO_FRAME_COMP_PSTRIDE(frame.video, GST_VIDEO_COMP_U);
    }
    network::network_input_simd(yuv, transform_, frame.output<float>(kTensor), rows);
  }

  void enqueue(StageFrame& frame, opencl::Queue& queue) const override {
    network::NetworkInputOpenCL::Frame yuv;
    yuv.luma = frame.upload(frame.luma(), kLuma);
    if (transform_.uses_chroma && interleaved_) {
      upload_interleaved(frame, yuv);
    } else if (transform_.uses_chroma) {
      yuv.u = frame.upload(component(frame, GST_VIDEO_COMP_U), kFirstChroma);
      yuv.v = frame.upload(component(frame, GST_VIDEO_COMP_V), kSecondChroma);
    }
    device_->enqueue(queue, yuv, {frame.device_output(kTensor), 0}, {0, model_->input.height});
  }

 private:
  static Plane<const uint8_t> component(const StageFrame& frame, int index) {
    return {static_cast<const uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(frame.video, index)),
            GST_VIDEO_FRAME_COMP_WIDTH(frame.video, index),
            GST_VIDEO_FRAME_COMP_HEIGHT(frame.video, index),
            GST_VIDEO_FRAME_COMP_STRIDE(frame.video, index)};
  }

  // NV12 has U first, NV21 V.
  static void upload_interleaved(StageFrame& frame, network::NetworkInputOpenCL::Frame& yuv) {
    const Plane<const uint8_t> u = component(frame, GST_VIDEO_COMP_U);
    const Plane<const uint8_t> v = component(frame, GST_VIDEO_COMP_V);
    const opencl::DevicePlane both =
        frame.upload({std::min(u.data, v.data), 2 * u.width, u.height, u.stride}, kFirstChroma);
    yuv.chroma_step = 2;
    yuv.u = {both.mem, u.data < v.data ? 0U : 1U, u.width, u.height, both.stride};
    yuv.v = {both.mem, u.data < v.data ? 1U : 0U, v.width, v.height, both.stride};
  }

  const std::shared_ptr<const NetworkModel> model_;
  const network::InputTransform transform_;
  const bool interleaved_;  // chroma, in one plane
  const std::unique_ptr<network::NetworkInputOpenCL> device_;
};

struct DnnInput {
  struct Settings {
    std::string model;
  };

  static constexpr char kTypeName[] = "GstDnnInput";
  static constexpr char kLongName[] = "Network input stage";
  static constexpr char kSummary[] =
      "Converts a frame into a neural network's input: scales it, converts colours, normalises";

  static StageDescription description() { return {.whole = "the network reads all of its input"}; }

  static constexpr Property<Settings> kProperties[] = {
      {"model", "Model", kModelBlurb, &Settings::model},
  };

  std::unique_ptr<DnnInputWork> make_work(const Settings& settings, const WorkRequest& request) {
    return std::make_unique<DnnInputWork>(
        model.of(settings.model, "dnninput", model_version_of(settings.model)), request);
  }

  LastMade<NetworkModel, std::string, std::string, ModelVersion> model;
};

}  // namespace
}  // namespace tandem

GType gst_dnn_input_get_type() { return tandem::StageElement<tandem::DnnInput>::get_type(); }
