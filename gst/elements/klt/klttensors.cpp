// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/klt/klttensors.h"

#include <stdexcept>

namespace tandem {

KltPreset KltPreset::of(int width, int height) {
  const auto holds = [&](int w, int h) { return width >= w && height >= h; };
  if (holds(1280, 720)) return {48, 500, 20};  // made for 1920x1080
  if (holds(640, 480)) return {32, 400, 20};
  if (holds(352, 288)) return {20, 500, 20};
  if (holds(176, 144)) return {12, 400, 15};
  if (holds(128, 96)) return {8, 500, 15};
  return {2, 200, 2};
}

KltLayout klt_layout(const WorkRequest& request, const Tensor& tensor) {
  const KltLayout layout{GST_VIDEO_INFO_WIDTH(&request.video),
                         GST_VIDEO_INFO_HEIGHT(&request.video)};
  if (tensor.spec.elements() != layout.floats()) {
    throw std::runtime_error("the tensor '" + std::string(tensor.spec.name.text()) +
                             "' on the frame was made for another frame size");
  }
  return layout;
}

}  // namespace tandem
