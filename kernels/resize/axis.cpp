// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/resize/axis.h"

#include <algorithm>
#include <cmath>
#include <list>

namespace tandem {
namespace {

/// The source positions [begin, end) that an output pixel covers; when enlarging, the two pixels
/// whose centres it lies between.
struct Footprint {
  double begin = 0, end = 0;
};

Footprint footprint(int o, int source, int output) {
  const double ratio = static_cast<double>(source) / output;
  if (output <= source) return {o * ratio, std::min<double>(source, (o + 1) * ratio)};
  // A window of one pixel around the centre covers its neighbours by what linear interpolation
  // gives them.
  const double left = std::clamp((o + 0.5) * ratio - 0.5, 0.0, source - 1.0);
  return {left, left + 1};
}

}  // namespace

ResizeAxis::ResizeAxis(int source_pixels, int output_pixels)
    : source(source_pixels), output(output_pixels), first(output_pixels) {
  for (int o = 0; o < output; ++o) {
    const Footprint f = footprint(o, source, output);
    first[o] = std::min(source - 1, static_cast<int>(f.begin));
    taps = std::max(taps, static_cast<int>(std::ceil(f.end)) - first[o]);
  }
  weights.resize(static_cast<std::size_t>(taps) * output);
  for (int o = 0; o < output; ++o) {
    const Footprint f = footprint(o, source, output);
    for (int t = 0; t < taps; ++t) {
      const int s = first[o] + t;
      const double covered = std::min(s + 1.0, f.end) - std::max<double>(s, f.begin);
      const double weight = s < source ? std::max(0.0, covered) / (f.end - f.begin) : 0;
      weights[static_cast<std::size_t>(t) * output + o] = static_cast<float>(weight);
    }
  }
}

const ResizeAxis& ResizeAxis::cached(int source, int output) {
  constexpr std::size_t kKept = 64;
  thread_local std::list<ResizeAxis> recent;
  const auto found = std::find_if(recent.begin(), recent.end(), [&](const ResizeAxis& axis) {
    return axis.source == source && axis.output == output;
  });
  if (found != recent.end()) {
    recent.splice(recent.begin(), recent, found);
  } else {
    if (recent.size() == kKept) recent.pop_back();
    recent.emplace_front(source, output);
  }
  return recent.front();
}

}  // namespace tandem
