// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/heat_map.h"

#include <algorithm>
#include <set>

#include "pipelines/report/marks.h"
#include "pipelines/report/markup.h"

namespace tandem::streams {
namespace {

constexpr double kCell = 34, kHeight = 20, kLeft = 30, kTop = 18;
constexpr int kShades = 10;

// Most cells lie in the upper half of the scale.
int shade_of(double value, double most) {
  const double share = std::clamp(value / most, 0.0, 1.0);
  return static_cast<int>(std::min(share * share * kShades, kShades - 1.0));
}

}  // namespace

const char* const kHeatStyle = R"(
.maps { display: grid; gap: 10px 18px; grid-template-columns: repeat(auto-fill, minmax(230px, 1fr)); }
.maps svg { width: 100%; max-width: 260px; }
.heat { fill: var(--coarse); }
.heat-0 { fill-opacity: 0.02; } .heat-1 { fill-opacity: 0.09; } .heat-2 { fill-opacity: 0.16; }
.heat-3 { fill-opacity: 0.24; } .heat-4 { fill-opacity: 0.32; } .heat-5 { fill-opacity: 0.4; }
.heat-6 { fill-opacity: 0.5; } .heat-7 { fill-opacity: 0.6; } .heat-8 { fill-opacity: 0.72; }
.heat-9 { fill-opacity: 0.85; }
.maps rect.marked { fill: none; stroke: var(--text); stroke-width: 1.6; }
.maps text { font-size: 10px; }
.maps .value { fill: var(--text); }
.methods .bar { fill: var(--coarse); }
.programs td { padding: 2px 8px; }
.programs td.far { background: var(--band); }
)";

std::string heat_map(const std::string& title, const Grid& grid, double most,
                     const StreamCandidate& marked) {
  std::set<int> tasks, partitions;
  for (const auto& [place, value] : grid) {
    tasks.insert(place.first);
    partitions.insert(place.second);
  }
  const double width = kLeft + kCell * static_cast<double>(partitions.size()) + 2;
  const double height = kTop + kHeight * static_cast<double>(tasks.size()) + 2;
  std::string cells;
  double x = kLeft;
  for (const int p : partitions) {
    cells += svg_text(x + kCell / 2, kTop - 5, std::to_string(p), "middle");
    double y = kTop;
    for (const int t : tasks) {
      if (x == kLeft) cells += svg_text(kLeft - 5, y + kHeight - 6, std::to_string(t), "end");
      if (const auto found = grid.find({t, p}); found != grid.end()) {
        cells += svg_rectangle(x, y, kCell, kHeight,
                               "heat heat-" + std::to_string(shade_of(found->second, most)));
        cells += svg_text(x + kCell / 2, y + kHeight - 6, fixed(found->second, 2), "middle value");
        if (marked == StreamCandidate{p, t})
          cells += svg_rectangle(x + 1, y + 1, kCell - 2, kHeight - 2, "marked");
      }
      y += kHeight;
    }
    x += kCell;
  }
  return "<figure><figcaption>" + element("span", escaped(title)) +
         "</figcaption><svg viewBox=\"0 0 " + svg_number(width) + " " + svg_number(height) +
         "\" role=\"img\">" + element("title", escaped(title)) + cells + "</svg></figure>";
}

}  // namespace tandem::streams
