// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/report/marks.h"

#include <algorithm>
#include <cmath>

#include "pipelines/report/markup.h"

namespace tandem {
namespace {

std::string use(Mark mark, const std::string& attributes) {
  constexpr const char* kIds[] = {"predicted", "chosen", "best", "baseline"};  // as Mark
  return std::string("<use href=\"#mark-") + kIds[static_cast<int>(mark)] + "\"" + attributes +
         "/>";
}

}  // namespace

std::string mark_definitions() {
  // About 10 units wide around 0, 0.
  return R"(<svg class="definitions" width="0" height="0" aria-hidden="true"><defs>
<rect id="mark-predicted" class="predicted" x="-5.5" y="-1.6" width="11" height="3.2"/>
<path id="mark-chosen" class="chosen" d="M-5.2-4.4H5.2L0 4.8Z"/>
<path id="mark-best" class="best" d="M0-6.4 1.7-2H6.3L2.7.9 4 5.4 0 2.8-4 5.4-2.7.9-6.3-2H-1.7Z"/>
<rect id="mark-baseline" class="baseline" x="-4" y="-4" width="8" height="8"/>
</defs></svg>
)";
}

std::string svg_number(double value) {
  std::string text = fixed(value, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string mark_at(Mark mark, double x, double y, double stretch) {
  std::string transform = "translate(" + svg_number(x) + " " + svg_number(y) + ")";
  if (stretch != 1) transform += " scale(" + fixed(stretch, 2) + " 1)";
  return use(mark, " transform=\"" + transform + "\"");
}

std::string mark_in_text(Mark mark) {
  return "<svg class=\"sign\" viewBox=\"-7 -7 14 14\" aria-hidden=\"true\">" + use(mark, "") +
         "</svg>";
}

std::vector<std::vector<Mark>> marks_of(const BenchFile& bench, const Metric& metric) {
  std::vector<std::vector<Mark>> marks(bench.configurations.size());
  const std::optional<std::size_t> best = metric.best();
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::string& name = bench.configurations[i].name;
    if (bench.chosen && bench.chosen->name == name) marks[i].push_back(Mark::chosen);
    if (best == i) marks[i].push_back(Mark::best);
    if (bench.baseline && bench.baseline->name == name) marks[i].push_back(Mark::baseline);
  }
  return marks;
}

std::string MarkPlacer::above(const std::vector<Mark>& marks, double x, double y) {
  return place(marks, x, y, y - kMarkSize / 2 - 1);
}

std::string MarkPlacer::on(const std::vector<Mark>& marks, double x, double y) {
  return place(marks, x, y, y);
}

std::string MarkPlacer::place(const std::vector<Mark>& marks, double x, double point_y,
                              double first_y) {
  constexpr double kLeastLeader = 2;
  std::string out;
  for (const Mark mark : marks) {
    Place place{x, first_y};
    const auto covers = [&](const Place& other) {
      return std::fabs(other.x - place.x) < kMarkSize - 2 &&
             std::fabs(other.y - place.y) < kMarkSize - 0.1;
    };
    while (std::any_of(taken_.begin(), taken_.end(), covers)) place.y -= 1;
    taken_.push_back(place);
    const double below = place.y + kMarkSize / 2 - 1;
    if (place.y < first_y && point_y - below > kLeastLeader)
      out += svg_line(x, below, x, point_y, "leader");
    first_y = place.y - kMarkSize;  // the next stands on this one
    out += mark_at(mark, place.x, place.y);
  }
  return out;
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  return "<line class=\"" + std::string(css_class) + "\" x1=\"" + svg_number(x1) + "\" y1=\"" +
         svg_number(y1) + "\" x2=\"" + svg_number(x2) + "\" y2=\"" + svg_number(y2) + "\"/>";
}

std::string svg_rectangle(double x, double y, double width, double height,
                          std::string_view css_class) {
  return "<rect class=\"" + std::string(css_class) + "\" x=\"" + svg_number(x) + "\" y=\"" +
         svg_number(y) + "\" width=\"" + svg_number(width) + "\" height=\"" + svg_number(height) +
         "\"/>";
}

std::string svg_text(double x, double y, std::string_view text, std::string_view css_class) {
  return "<text class=\"" + std::string(css_class) + "\" x=\"" + svg_number(x) + "\" y=\"" +
         svg_number(y) + "\">" + escaped(text) + "</text>";
}

}  // namespace tandem
