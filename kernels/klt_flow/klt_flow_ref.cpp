// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <vector>

#include "kernels/klt_flow/klt_flow.h"

namespace tandem {
namespace {

struct Point {
  float x = 0, y = 0;
};

/// Whether a patch around `p` lies inside the level.
bool inside(Point p, int window, Plane<const float> level) {
  const auto w = static_cast<float>(window);
  return p.x - w >= 0 && p.y - w >= 0 && p.x + w + 1 < static_cast<float>(level.width) &&
         p.y + w + 1 < static_cast<float>(level.height);
}

std::vector<float> patch(Plane<const float> image, Point centre, int window) {
  const float fx = std::floor(centre.x), fy = std::floor(centre.y);
  const float a = centre.x - fx, b = centre.y - fy;
  std::vector<float> values;
  for (int v = -window; v < window; ++v) {
    const float* here = image.row(static_cast<int>(fy) + v) + static_cast<int>(fx);
    const float* below = here + image.stride;
    for (int u = -window; u < window; ++u) {
      values.push_back((1 - a) * (1 - b) * here[u] + a * (1 - b) * here[u + 1] +
                       (1 - a) * b * below[u] + a * b * below[u + 1]);
    }
  }
  return values;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

/// Follows `from` on one level, starting at the displacement `d`. False: lost.
bool follow(const KltLevel<const float>& previous, const KltLevel<const float>& current, Point from,
            const KltFlowSettings& s, Point& d) {
  if (!inside(from, s.window, current.image)) return false;
  const std::vector<float> wanted = patch(previous.image, from, s.window);
  const std::vector<float> gx = patch(current.dx, from, s.window);
  const std::vector<float> gy = patch(current.dy, from, s.window);
  const double cxx = dot(gx, gx), cxy = dot(gx, gy), cyy = dot(gy, gy);
  const double det = cxx * cyy - cxy * cxy;
  if (det / (cxx + cyy + 1e-5) < s.accuracy) return false;

  for (int i = 0; i < s.iterations; ++i) {
    const Point at{from.x + d.x, from.y + d.y};
    if (!inside(at, s.window, current.image)) return false;
    std::vector<float> change = patch(current.image, at, s.window);
    for (std::size_t k = 0; k < change.size(); ++k) change[k] = wanted[k] - change[k];
    const double e = dot(change, gx), g = dot(change, gy);
    const Point step{static_cast<float>((e * cyy - g * cxy) / det),
                     static_cast<float>((g * cxx - e * cxy) / det)};
    d = {d.x + step.x, d.y + step.y};
    if (step.x * step.x + step.y * step.y < s.accuracy) break;
  }
  return true;
}

}  // namespace

void klt_flow_ref(const KltPyramid<const float>& previous, const KltPyramid<const float>& current,
                  const KltFeature* features, const KltFlowSettings& settings, KltVector* vectors,
                  Rows range) {
  for (int i = range.begin; i < range.end; ++i) {
    vectors[i] = {};
    const KltFeature& f = features[i];
    if (!(f.strength > 0)) continue;
    Point d;
    const bool found =
        follow(previous.levels[1], current.levels[1], {f.x / 2, f.y / 2}, settings, d) &&
        follow(previous.levels[0], current.levels[0], {f.x, f.y}, settings, d = {2 * d.x, 2 * d.y});
    if (found) vectors[i] = {f.x, f.y, d.x, d.y, 1};
  }
}

}  // namespace tandem
