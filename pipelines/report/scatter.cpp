// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "model/median.h"
#include "pipelines/report/axis.h"
#include "pipelines/report/marks.h"
#include "pipelines/report/markup.h"
#include "pipelines/report/page.h"

namespace tandem {
namespace {

constexpr double kSide = 230, kLeft = 52, kTop = 30, kBeside = 12, kUnder = 38;
// Beyond this ratio of the largest to the smallest value a linear axis would crowd the small ones.
constexpr double kLinearSpan = 8;

struct Point {
  std::size_t configuration;
  double measured, predicted, error;
};

std::vector<Point> points_of(const Metric& metric) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < metric.values.size(); ++i) {
    const Metric::Values& values = metric.values[i];
    const std::optional<double> error = prediction_error(values);
    if (error) points.push_back({i, *values.measured, *values.predicted, *error});
  }
  return points;
}

Axis axis_for(const std::vector<Point>& points) {
  double least = points[0].measured, most = 0;
  for (const Point& point : points) {
    least = std::min({least, point.measured, point.predicted});
    most = std::max({most, point.measured, point.predicted});
  }
  if (least > 0 && most / least > kLinearSpan) return logarithmic_axis(least, most, 8);
  return linear_axis(1.02 * most, 5);
}

// "137 of 144 within 10%; half of them within 2.1%; furthest off: gcc/cg3, +14.0%"
std::string verdict(const BenchFile& bench, std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return std::fabs(a.error) < std::fabs(b.error); });
  const auto inside = std::count_if(points.begin(), points.end(), [](const Point& point) {
    return std::fabs(point.error) <= kPredictionBand;
  });
  const Point& furthest = points.back();
  std::vector<double> errors;
  for (const Point& point : points) errors.push_back(std::fabs(point.error));
  return std::to_string(inside) + " of " + std::to_string(points.size()) + " within " +
         fixed(100 * kPredictionBand, 0) + "%; median error " + percent(median(errors)) +
         "; furthest off " + bench.configurations[furthest.configuration].name + ", " +
         signed_percent(furthest.error);
}

double across(const Axis& axis, double value) { return kLeft + kSide * axis.position(value); }
double down(const Axis& axis, double value) { return kTop + kSide * (1 - axis.position(value)); }

std::string frame(const Axis& axis, const Metric& metric) {
  std::string out;
  for (const double tick : axis.ticks) {
    out += svg_line(kLeft, down(axis, tick), kLeft + kSide, down(axis, tick), "grid");
    out += svg_line(across(axis, tick), kTop, across(axis, tick), kTop + kSide, "grid");
    out += svg_text(kLeft - 5, down(axis, tick) + 4, axis.label(tick), "tick end");
    out += svg_text(across(axis, tick), kTop + kSide + 15, axis.label(tick), "tick middle");
  }
  const double middle = kTop + kSide / 2;
  return out +
         svg_text(kLeft + kSide / 2, kTop + kSide + 32, "measured, " + metric.unit, "name middle") +
         "<text class=\"name middle\" transform=\"translate(11 " + svg_number(middle) +
         ") rotate(-90)\">predicted, " + escaped(metric.unit) + "</text>\n";
}

// The band and the line of equal values, cut off at the frame.
std::string band(const Axis& axis) {
  const double from = axis.least, to = axis.most;
  const auto corner = [&](double measured, double factor) {
    return svg_number(across(axis, measured)) + "," + svg_number(down(axis, measured * factor)) +
           " ";
  };
  const double high = 1 + kPredictionBand, low = 1 - kPredictionBand;
  std::string points = corner(from, high) + corner(to, high) + corner(to, low) + corner(from, low);
  points.pop_back();
  // The inner picture's edges do the cutting.
  return "<svg x=\"" + svg_number(kLeft) + "\" y=\"" + svg_number(kTop) + "\" width=\"" +
         svg_number(kSide) + "\" height=\"" + svg_number(kSide) + "\" viewBox=\"" +
         svg_number(kLeft) + " " + svg_number(kTop) + " " + svg_number(kSide) + " " +
         svg_number(kSide) + "\"><polygon class=\"band\" points=\"" + points + "\"/>" +
         svg_line(across(axis, from), down(axis, from), across(axis, to), down(axis, to), "equal") +
         "</svg>\n";
}

std::string point_at(const Point& point, const BenchFile::Configuration& configuration, double x,
                     double y) {
  const std::string title = configuration.name + ": " + significant(point.measured) +
                            " measured, " + significant(point.predicted) + " predicted (" +
                            signed_percent(point.error) + ")";
  const std::string shape = configuration.threads
                                ? "<circle class=\"coarse\" cx=\"" + svg_number(x) + "\" cy=\"" +
                                      svg_number(y) + "\" r=\"3\"/>"
                                : svg_rectangle(x - 3, y - 3, 6, 6, "medium");
  return "<g><title>" + escaped(title) + "</title>" + shape + "</g>\n";
}

}  // namespace

std::string prediction_scatter(const BenchFile& bench, const Metric& metric) {
  const std::vector<Point> points = points_of(metric);
  if (points.empty()) return "";
  const Axis axis = axis_for(points);
  const auto marks = marks_of(bench, metric);
  std::string out = "<figure class=\"scatter\"><figcaption><b>" + escaped(metric.title) + "</b> " +
                    element("span", escaped(verdict(bench, points))) +
                    "</figcaption><svg viewBox=\"0 0 " + svg_number(kLeft + kSide + kBeside) + " " +
                    svg_number(kTop + kSide + kUnder) + "\" role=\"img\" aria-label=\"" +
                    escaped(metric.title) + ", predicted against measured\">\n" +
                    frame(axis, metric) + band(axis);
  MarkPlacer placer;
  std::string standing_out;  // drawn last, above every point
  for (const Point& point : points) {
    const double x = across(axis, point.measured), y = down(axis, point.predicted);
    out += point_at(point, bench.configurations[point.configuration], x, y);
    standing_out += placer.on(marks[point.configuration], x, y);
  }
  return out + standing_out + "</svg></figure>\n";
}

}  // namespace tandem
