// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/network/opencv_dnn.h"

namespace tandem::network::test {

std::optional<Elements> opencv_dnn(const std::string&, const Shape&, const Elements&) {
  return std::nullopt;
}

std::function<void()> opencv_dnn_frames(const std::string&, const Shape&, const Elements&) {
  return {};
}

}  // namespace tandem::network::test
