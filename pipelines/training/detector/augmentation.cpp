// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/augmentation.h"

#include <algorithm>
#include <cmath>

#include "pipelines/training/detector/window.h"

namespace tandem {
namespace {

LoadedPhotograph reduced(const LoadedPhotograph& p, double factor) {
  const auto scaled = [&](int length) { return std::max<int>(1, std::lround(length * factor)); };
  LoadedPhotograph small{p.photograph,
                         resized(p.image, scaled(p.image.width), scaled(p.image.height))};
  const auto f = static_cast<float>(factor);
  for (auto* boxes : {&small.photograph.objects, &small.photograph.ignored})
    for (Box& box : *boxes) box = {box.x * f, box.y * f, box.width * f, box.height * f};
  return small;
}

}  // namespace

double median_height(const Photograph& photograph) {
  std::vector<float> heights;
  for (const Box& box : photograph.objects) heights.push_back(box.height);
  if (heights.empty()) return 0;
  const auto middle = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return *middle;
}

std::vector<LoadedPhotograph> with_soft_copies(const std::vector<LoadedPhotograph>& photographs,
                                               double soft_height) {
  std::vector<LoadedPhotograph> all = photographs;
  if (soft_height <= 0) return all;
  for (const LoadedPhotograph& p : photographs) {
    const double height = median_height(p.photograph);
    if (height > soft_height) all.push_back(reduced(p, soft_height / height));
  }
  return all;
}

LoadedPhotograph with_room(const LoadedPhotograph& p) {
  const int dx = p.image.width / 3, dy = p.image.height / 3;
  LoadedPhotograph wide{
      p.photograph, cut_out(p.image, -dx, -dy, p.image.width + 2 * dx, p.image.height + 2 * dy)};
  for (auto* boxes : {&wide.photograph.objects, &wide.photograph.ignored})
    for (Box& box : *boxes) {
      box.x += static_cast<float>(dx);
      box.y += static_cast<float>(dy);
    }
  return wide;
}

}  // namespace tandem
