// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/network/opencv_dnn.h"

#include <opencv2/dnn.hpp>

namespace tandem::network::test {

namespace {

cv::dnn::Net load(const std::string& path) {
  cv::dnn::Net net = cv::dnn::readNetFromONNX(path);
  net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
  net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
  return net;
}

cv::Mat image_of(const Shape& shape, const Elements& input) {
  const std::vector<int> sides(shape.begin(), shape.end());
  cv::Mat image(sides, CV_32F);
  std::copy(input.begin(), input.end(), image.ptr<float>());
  return image;
}

}  // namespace

std::optional<Elements> opencv_dnn(const std::string& path, const Shape& shape,
                                   const Elements& input) {
  cv::dnn::Net net = load(path);
  net.setInput(image_of(shape, input));
  const cv::Mat output = net.forward().clone();
  return Elements(output.ptr<float>(), output.ptr<float>() + output.total());
}

std::function<void()> opencv_dnn_frames(const std::string& path, const Shape& shape,
                                        const Elements& input) {
  return [net = load(path), image = image_of(shape, input)]() mutable {
    cv::setNumThreads(1);
    net.setInput(image);
    net.forward();
  };
}

}  // namespace tandem::network::test
