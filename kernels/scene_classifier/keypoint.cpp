// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/scene_classifier/keypoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hwy/cache_control.h"
#include "kernels/scene_classifier/window.h"

namespace tandem {
namespace {

constexpr int kMostMoves = 5;
constexpr float kMoveFrom = 0.6f;    // pixels of the maximum from the middle of the present one
constexpr float kMostOffset = 1.5f;  // pixels, and scales
constexpr float kSingular = 1e-10f;  // a smaller pivot has no direction

constexpr int kDirections = 36;
constexpr float kPeakShare = 0.8f;
constexpr int kSmoothings = 6;

/// The parabola through a pixel of the differences and its neighbours in x, y and scale.
struct Parabola {
  float value;
  std::array<float, 3> gradient;
  float xx, yy, ss, xy, xs, ys;

  Parabola(const Plane<const Half> planes[3], int x, int y) {
    const auto at = [&](int dx, int dy, int ds) -> float {
      return planes[1 + ds].row(y + dy)[x + dx];
    };
    value = at(0, 0, 0);
    gradient = {(at(1, 0, 0) - at(-1, 0, 0)) / 2, (at(0, 1, 0) - at(0, -1, 0)) / 2,
                (at(0, 0, 1) - at(0, 0, -1)) / 2};
    xx = at(1, 0, 0) + at(-1, 0, 0) - 2 * value;
    yy = at(0, 1, 0) + at(0, -1, 0) - 2 * value;
    ss = at(0, 0, 1) + at(0, 0, -1) - 2 * value;
    xy = (at(1, 1, 0) + at(-1, -1, 0) - at(-1, 1, 0) - at(1, -1, 0)) / 4;
    xs = (at(1, 0, 1) + at(-1, 0, -1) - at(-1, 0, 1) - at(1, 0, -1)) / 4;
    ys = (at(0, 1, 1) + at(0, -1, -1) - at(0, -1, 1) - at(0, 1, -1)) / 4;
  }

  /// Where its gradient is zero, from its middle; the middle where that is nowhere.
  std::array<float, 3> offset() const {
    float m[3][4] = {
        {xx, xy, xs, -gradient[0]}, {xy, yy, ys, -gradient[1]}, {xs, ys, ss, -gradient[2]}};
    for (int i = 0; i < 3; ++i) {
      int pivot = i;
      for (int r = i + 1; r < 3; ++r)
        if (std::fabs(m[r][i]) > std::fabs(m[pivot][i])) pivot = r;
      if (std::fabs(m[pivot][i]) < kSingular) return {};
      std::swap(m[i], m[pivot]);
      for (int r = i + 1; r < 3; ++r) {
        const float factor = m[r][i] / m[i][i];
        for (int c = i; c < 4; ++c) m[r][c] -= factor * m[i][c];
      }
    }
    std::array<float, 3> b{};
    for (int i = 2; i >= 0; --i) {
      b[i] = m[i][3];
      for (int c = i + 1; c < 3; ++c) b[i] -= m[i][c] * b[c];
      b[i] /= m[i][i];
    }
    return b;
  }

  float value_at(const std::array<float, 3>& b) const {
    return value + (gradient[0] * b[0] + gradient[1] * b[1] + gradient[2] * b[2]) / 2;
  }
  /// Curved much more in one direction than in the other, or in opposite ones.
  bool on_edge() const {
    const float trace = xx + yy, determinant = xx * yy - xy * xy;
    constexpr float kMost = (kSceneMostEdge + 1) * (kSceneMostEdge + 1) / kSceneMostEdge;
    return !(determinant > 0 && trace * trace < kMost * determinant);
  }
};

int step_towards(float offset, int at, int size) {
  if (offset > kMoveFrom && at < size - 2) return 1;
  if (offset < -kMoveFrom && at > 1) return -1;
  return 0;
}

}  // namespace

float SceneKeypoint::in_frame(float length) const {
  return length * std::exp2(static_cast<float>(octave - 1));
}

std::optional<SceneKeypoint> refine_extremum(const SceneLayout& layout, const Half* space,
                                             int octave, int d, int column, int row,
                                             float contrast) {
  const int width = layout.width_of(octave), height = layout.height_of(octave);
  const Plane<const Half> planes[] = {layout.difference(space, octave, d - 1),
                                      layout.difference(space, octave, d),
                                      layout.difference(space, octave, d + 1)};
  int x = column, y = row;
  Parabola parabola(planes, x, y);
  std::array<float, 3> b = parabola.offset();
  for (int move = 1; move < kMostMoves; ++move) {
    const int dx = step_towards(b[0], x, width), dy = step_towards(b[1], y, height);
    if (dx == 0 && dy == 0) break;
    x += dx;
    y += dy;
    parabola = Parabola(planes, x, y);
    b = parabola.offset();
  }
  const auto far = [](float offset) { return !(std::fabs(offset) < kMostOffset); };
  if (std::any_of(b.begin(), b.end(), far)) return std::nullopt;
  if (!(std::fabs(parabola.value_at(b)) > contrast) || parabola.on_edge()) return std::nullopt;
  const float px = static_cast<float>(x) + b[0], py = static_cast<float>(y) + b[1];
  if (px < 0 || py < 0 || px > static_cast<float>(width - 1) || py > static_cast<float>(height - 1))
    return std::nullopt;
  // Scales below the one before the octave's first belong to the octave before.
  const float level = static_cast<float>(d) + b[2];
  if (level < 0) return std::nullopt;
  const float sigma = 1.6f * std::exp2(level / kSceneScales);
  return SceneKeypoint{octave, d - 1, px, py, sigma, column, row};
}

int scene_angles(const SceneLayout& layout, const Half* space, const SceneKeypoint& keypoint,
                 float angles[kSceneMostAngles]) {
  const auto magnitude = layout.magnitude(space, keypoint.octave, keypoint.gradient);
  const auto angle = layout.angle(space, keypoint.octave, keypoint.gradient);
  const float sigma = 1.5f * keypoint.sigma;
  const int reach = std::clamp(static_cast<int>(3 * sigma), 1, Gaussian::kMostReach);
  const int column = static_cast<int>(keypoint.x + 0.5f), row = static_cast<int>(keypoint.y + 0.5f);
  const Gaussian across(keypoint.x, column, sigma, reach), down(keypoint.y, row, sigma, reach);

  constexpr float kTurn = 2 * std::numbers::pi_v<float>;
  float histogram[kDirections + 2] = {};  // one more on each side, for the smoothing
  float* const bins = histogram + 1;
  const float most = static_cast<float>(reach * reach) + 0.6f;
  const int left = std::max(0, column - reach),
            right = std::min(magnitude.width - 1, column + reach);
  float lengths[2 * Gaussian::kMostReach + 1], directions[2 * Gaussian::kMostReach + 1];
  for (int y = std::max(0, row - reach); y <= std::min(magnitude.height - 1, row + reach); ++y) {
    widen(magnitude.row(y) + left, right - left + 1, lengths);
    widen(angle.row(y) + left, right - left + 1, directions);
    // A keypoint is far from the one before: its rows come from memory.
    const int soon = std::min(y + 2, magnitude.height - 1);
    hwy::Prefetch(magnitude.row(soon) + left);
    hwy::Prefetch(angle.row(soon) + left);
    const float dy = static_cast<float>(y) - keypoint.y;
    for (int x = left; x <= right; ++x) {
      const float dx = static_cast<float>(x) - keypoint.x;
      if (dx * dx + dy * dy >= most) continue;
      const float weight = lengths[x - left] * across.at(x) * down.at(y);
      // In (-0.5, 36.5): half a bin below the middle of the first.
      const float direction = directions[x - left];
      const float place =
          direction * (kDirections / kTurn) + (direction < 0 ? kDirections : 0.0f) + 0.5f;
      const int above = std::min(static_cast<int>(place), kDirections);
      const float share = place - static_cast<float>(above);
      bins[above == 0 ? kDirections - 1 : above - 1] += (1 - share) * weight;
      bins[above == kDirections ? 0 : above] += share * weight;
    }
  }
  for (int i = 0; i < kSmoothings; ++i) {
    bins[-1] = bins[kDirections - 1];
    bins[kDirections] = bins[0];
    float before = bins[-1];
    for (int k = 0; k < kDirections; ++k) {
      const float sum = before + bins[k] + bins[k + 1];
      before = bins[k];
      bins[k] = sum / 3;
    }
  }
  bins[-1] = bins[kDirections - 1];
  bins[kDirections] = bins[0];

  const float least = kPeakShare * *std::max_element(bins, bins + kDirections);
  int count = 0;
  for (int k = 0; k < kDirections && count < kSceneMostAngles; ++k) {
    const float here = bins[k], before = bins[k - 1], after = bins[k + 1];
    if (!(here > least && here > before && here > after)) continue;
    const float offset = (before - after) / (2 * (before + after - 2 * here));
    const float turns = (static_cast<float>(k) + 0.5f + offset) / kDirections;
    angles[count++] = kTurn * (turns - std::floor(turns));
  }
  return count;
}

}  // namespace tandem
