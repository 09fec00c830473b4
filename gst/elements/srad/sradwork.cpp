// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/srad/sradwork.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace tandem {

SradWork::SradWork(SradKernels kernels, const WorkRequest& request)
    : kernels_(std::move(kernels)),
      width_(GST_VIDEO_INFO_WIDTH(&request.video)),
      height_(GST_VIDEO_INFO_HEIGHT(&request.video)) {
  for (const Tensor& input : request.inputs) {
    const TensorSpec& spec = input.spec;
    const guint d = spec.dimensions;
    if (d < 2) continue;
    if (spec.shape[d - 1] != static_cast<gsize>(width_) ||
        spec.shape[d - 2] != static_cast<gsize>(height_)) {
      throw std::runtime_error(std::string("the tensor '") + spec.name.text() +
                               "' on the frame was made for another frame size");
    }
  }
}

}  // namespace tandem
