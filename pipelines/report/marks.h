// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pipelines/report/metric.h"

namespace tandem {

/// Shapes that charts and legends share, so that no meaning hangs on a colour.
enum class Mark { predicted, chosen, best, baseline };

/// Definitions that the page needs once, before any mark is drawn.
std::string mark_definitions();

/// The mark with its centre at x, y of an SVG picture; `stretch` makes it wider.
std::string mark_at(Mark mark, double x, double y, double stretch = 1);

/// The mark as a small picture in a line of text.
std::string mark_in_text(Mark mark);

/// The marks of configurations that stand out for `metric`, by index: chosen and baseline as the
/// file names them, best by this metric. The innermost mark first.
std::vector<std::vector<Mark>> marks_of(const BenchFile& bench, const Metric& metric);

/// Room that a mark takes, in either direction.
inline constexpr double kMarkSize = 13;

/// Places marks at points of one picture so that none covers another. A mark that has to give way
/// to another moves up, and a line leads from it to its point.
class MarkPlacer {
 public:
  /// The lowest mark just above x, y: for the end of a bar.
  std::string above(const std::vector<Mark>& marks, double x, double y);
  /// The lowest mark with its centre at x, y.
  std::string on(const std::vector<Mark>& marks, double x, double y);

 private:
  std::string place(const std::vector<Mark>& marks, double x, double point_y, double first_y);

  struct Place {
    double x, y;
  };
  std::vector<Place> taken_;
};

/// Coordinates need no more than a tenth of a pixel.
std::string svg_number(double value);
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css_class);
std::string svg_rectangle(double x, double y, double width, double height,
                          std::string_view css_class);
std::string svg_text(double x, double y, std::string_view text, std::string_view css_class);

}  // namespace tandem
