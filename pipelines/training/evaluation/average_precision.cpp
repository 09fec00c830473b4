// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/average_precision.h"

#include <algorithm>

namespace tandem {
namespace {

struct Candidate {
  const Detection* detection;
  std::size_t photograph;
};

Detection as_detection(const Box& box) { return {box.x, box.y, box.width, box.height, 0}; }

/// The box that overlaps most, and by how much.
std::pair<std::size_t, float> nearest(const std::vector<Box>& boxes, const Detection& detection) {
  std::pair<std::size_t, float> best{0, 0.0f};
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const float by = overlap(as_detection(boxes[i]), detection);
    if (by > best.second) best = {i, by};
  }
  return best;
}

double area_under(const std::vector<CurvePoint>& curve) {
  double area = 0, best = 0;
  for (std::size_t i = curve.size(); i-- > 0;) {
    best = std::max(best, curve[i].precision);
    area += best * (curve[i].recall - (i > 0 ? curve[i - 1].recall : 0));
  }
  return area;
}

}  // namespace

CurvePoint Evaluation::at(float threshold) const {
  CurvePoint last{threshold, 0, 1};
  for (const CurvePoint& point : curve) {
    if (point.score < threshold) break;
    last = point;
  }
  return last;
}

Evaluation evaluate(const std::vector<Photograph>& photographs,
                    const std::vector<std::vector<Detection>>& found, float min_overlap) {
  Evaluation result;
  result.photographs = photographs.size();
  std::vector<Candidate> candidates;
  std::vector<std::vector<bool>> taken;
  for (std::size_t p = 0; p < photographs.size(); ++p) {
    result.objects += photographs[p].objects.size();
    result.ignored += photographs[p].ignored.size();
    taken.emplace_back(photographs[p].objects.size(), false);
    for (const Detection& d : found[p]) candidates.push_back({&d, p});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.detection->score > b.detection->score;
  });

  std::size_t right = 0;
  for (const auto& [detection, p] : candidates) {
    const auto [person, by] = nearest(photographs[p].objects, *detection);
    const bool hits = by >= min_overlap;
    if (!hits && nearest(photographs[p].ignored, *detection).second >= min_overlap) continue;
    ++result.detections;
    if (hits && !taken[p][person]) {
      taken[p][person] = true;
      ++right;
    }
    const CurvePoint point{
        detection->score,
        result.objects ? static_cast<double>(right) / static_cast<double>(result.objects) : 0,
        static_cast<double>(right) / static_cast<double>(result.detections)};
    // Detections of the same score are taken together.
    if (!result.curve.empty() && result.curve.back().score == point.score)
      result.curve.back() = point;
    else
      result.curve.push_back(point);
  }
  result.average_precision = area_under(result.curve);
  return result;
}

}  // namespace tandem
