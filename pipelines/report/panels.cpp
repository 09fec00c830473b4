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

// The number of predictions in the band, the median error, and the configuration furthest off.
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

constexpr double kDigitWidth = 6.4;  // of the labels' 11 pixels
constexpr double kBottom = 18, kRight = 6;
constexpr double kGapBeforeMedium = 0.8;  // slots, and at least
constexpr double kLeastGap = 8;           // pixels
constexpr int kMappingsInSmallPanels = 16;

// One panel's configurations by index, coarse grain by threads, medium grain last: those of a
// mapping, a number of lanes and one of tasks.
struct Mapping {
  std::string letters;
  std::vector<std::size_t> coarse, medium;
};

std::string panel_of(const BenchFile::Configuration& configuration) {
  std::string panel = configuration.mapping;
  if (configuration.lanes > 1) panel += ", " + std::to_string(configuration.lanes) + " lanes";
  if (configuration.tasks > 1) panel += ", " + std::to_string(configuration.tasks) + " tasks";
  return panel;
}

// Frames at a time and the share tell a panel's configurations of medium grain apart.
std::string grain_of(const BenchFile::Configuration& configuration) {
  if (configuration.threads) return "cg" + std::to_string(configuration.threads);
  std::string grain = "mg";
  if (configuration.frames_at_once > 1) grain += std::to_string(configuration.frames_at_once);
  return configuration.split ? grain + "/a" + std::to_string(*configuration.split) : grain;
}

std::vector<Mapping> mappings_of(const BenchFile& bench) {
  std::vector<Mapping> mappings;
  for (std::size_t i = 0; i < bench.configurations.size(); ++i) {
    const BenchFile::Configuration& configuration = bench.configurations[i];
    auto mapping = std::find_if(mappings.begin(), mappings.end(), [&](const Mapping& m) {
      return m.letters == panel_of(configuration);
    });
    if (mapping == mappings.end()) {
      mapping = mappings.insert(mapping, {panel_of(configuration), {}, {}});
    }
    (configuration.threads ? mapping->coarse : mapping->medium).push_back(i);
  }
  return mappings;
}

int most_threads(const BenchFile& bench) {
  int most = 0;
  for (const BenchFile::Configuration& c : bench.configurations) most = std::max(most, c.threads);
  return most;
}

Axis axis_of(const Metric& metric, int intervals) {
  const auto [least, most] = metric.range();
  if (has_logarithmic_scale(metric)) {
    return logarithmic_axis(least, most, static_cast<std::size_t>(intervals) + 1);
  }
  return linear_axis(most > 0 ? most : 1, intervals);
}

// Draws the panels of one metric; what they have in common is worked out once.
class Panels {
 public:
  Panels(const BenchFile& bench, const Metric& metric)
      : bench_(bench),
        metric_(metric),
        mappings_(mappings_of(bench)),
        marks_(marks_of(bench, metric)),
        threads_(most_threads(bench)),
        many_(mappings_.size() > kMappingsInSmallPanels),
        axis_(axis_of(metric, many_ ? 4 : 6)),
        height_(many_ ? 84 : 112) {
    std::size_t longest = 0;
    for (const double tick : axis_.ticks) longest = std::max(longest, axis_.label(tick).size());
    left_ = static_cast<double>(longest) * kDigitWidth + 8;
    const double slots = threads_ + kGapBeforeMedium + 1;
    const bool alone = mappings_.size() == 1;
    pitch_ = std::clamp((alone ? 600 : 226) / slots, 4., alone ? 28. : 16.);
    const double gap = std::max(kGapBeforeMedium * pitch_, kLeastGap);
    width_ = left_ + (threads_ + 1) * pitch_ + gap + kRight;
    top_ = room_for_marks();
  }

  std::string draw() const {
    std::string out = std::string("<div class=\"panels") + (many_ ? " many" : "") +
                      "\" style=\"--panel:" + svg_number(width_) + "px\">\n";
    for (const Mapping& mapping : mappings_) out += panel(mapping);
    return out + "</div>\n";
  }

 private:
  // Where the marks of a configuration stand: at what was measured, wherever the prediction is.
  double marked_value(const Metric::Values& values) const {
    return values.measured.value_or(values.predicted.value_or(axis_.least));
  }

  // Above the bars, for the marks on the highest ones.
  double room_for_marks() const {
    std::size_t all = 0;
    for (const auto& marks : marks_) all += marks.size();
    double room = 8;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      if (marks_[i].empty()) continue;
      const Metric::Values& values = metric_.values[i];
      const double highest = marked_value(values);
      // Where bars stand close, marks of neighbours may have to stand above each other too.
      const std::size_t stack = pitch_ < kMarkSize - 2 ? all : marks_[i].size();
      room = std::max(room, static_cast<double>(stack) * kMarkSize + 3 -
                                height_ * (1 - axis_.position(highest)));
    }
    return room;
  }

  double y(double value) const { return top_ + height_ * (1 - axis_.position(value)); }
  double floor() const { return top_ + height_; }
  // The middle of a slot; coarse grain with n threads is slot n - 1.
  double x(double slot) const { return left_ + (slot + 0.5) * pitch_; }
  double x_of_medium() const { return width_ - kRight - pitch_ / 2; }

  std::string panel(const Mapping& mapping) const {
    std::string out = "<figure><figcaption><b>" + escaped(mapping.letters) + "</b> " +
                      element("span", summary(mapping)) + "</figcaption><svg viewBox=\"0 0 " +
                      svg_number(width_) + " " + svg_number(top_ + height_ + kBottom) +
                      "\" role=\"img\" aria-label=\"" + escaped(metric_.title) + ", mapping " +
                      escaped(mapping.letters) + "\">\n";
    for (const double tick : axis_.ticks) {
      out += svg_line(left_, y(tick), width_, y(tick), "grid");
      out += svg_text(left_ - 4, y(tick) + 4, axis_.label(tick), "tick end");
    }
    out += svg_line(left_, floor(), width_, floor(), "axis");
    out += thread_labels(!mapping.medium.empty()) + "\n";
    MarkPlacer placer;
    for (const std::size_t i : mapping.coarse) {
      out += configuration(i, x(bench_.configurations[i].threads - 1), "coarse", placer);
    }
    for (const std::size_t i : mapping.medium)
      out += configuration(i, x_of_medium(), "medium", placer);
    if (metric_.baseline) {
      out += svg_line(left_, y(*metric_.baseline), width_, y(*metric_.baseline), "baseline-rate");
    }
    return out + "</svg></figure>\n";
  }

  // The best measured value of the mapping.
  std::string summary(const Mapping& mapping) const {
    std::optional<std::size_t> best;
    for (const auto& group : {mapping.coarse, mapping.medium}) {
      for (const std::size_t i : group) {
        const std::optional<double>& value = metric_.values[i].measured;
        if (!value) continue;
        const double known = best ? *metric_.values[*best].measured : 0;
        if (!best || (metric_.lower_is_better ? *value < known : *value > known)) best = i;
      }
    }
    if (!best) return "";
    return significant(metric_.values[*best].measured) + " at " +
           grain_of(bench_.configurations[*best]);
  }

  std::string thread_labels(bool medium) const {
    const double room = 11 * static_cast<double>(std::to_string(threads_).size()) + 3;
    int step = 1;
    while (step * pitch_ < room) step *= 2;
    const double below = floor() + 13;
    std::string out;
    for (int n = 1; n <= threads_; ++n) {
      const bool clear_of_medium = x_of_medium() - x(n - 1) > room;
      if ((n == 1 || n % step == 0) && clear_of_medium) {
        out += svg_text(x(n - 1), below, std::to_string(n), "tick middle");
      }
    }
    if (medium) out += svg_text(x_of_medium(), below, "mg", "tick middle");
    return out;
  }

  std::string configuration(std::size_t i, double x, const char* granularity,
                            MarkPlacer& placer) const {
    const Metric::Values& values = metric_.values[i];
    // The invisible rectangle makes a low bar as easy to point at as a high one.
    std::string out = "<g><title>" + escaped(tooltip(i)) + "</title>" +
                      svg_rectangle(x - pitch_ / 2, top_, pitch_, height_, "area");
    if (values.measured) {
      const double top = y(*values.measured), width = 0.76 * pitch_;
      out += svg_rectangle(x - width / 2, top, width, floor() - top, granularity);
    }
    out += placer.above(marks_[i], x, y(marked_value(values)));
    // Over the others: a thin mark hides little.
    if (values.predicted) out += mark_at(Mark::predicted, x, y(*values.predicted), pitch_ / 12);
    return out + "</g>\n";
  }

  std::string tooltip(std::size_t i) const {
    const Metric::Values& values = metric_.values[i];
    std::string out = bench_.configurations[i].name + ": ";
    out += values.measured ? metric_.with_unit(*values.measured) + " measured" : "not measured";
    if (values.predicted) out += ", " + metric_.with_unit(*values.predicted) + " predicted";
    if (const auto error = prediction_error(values)) out += " (" + signed_percent(error) + ")";
    return out;
  }

  const BenchFile& bench_;
  const Metric& metric_;
  const std::vector<Mapping> mappings_;
  const std::vector<std::vector<Mark>> marks_;
  const int threads_;
  const bool many_;
  const Axis axis_;
  // Pixels; `pitch_` is from one bar to the next.
  const double height_;
  double left_, top_, width_, pitch_;
};

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

bool has_logarithmic_scale(const Metric& metric) {
  constexpr double kLinearSpan = 10;
  const auto [least, most] = metric.range();
  return metric.lower_is_better && least > 0 && most > kLinearSpan * least;
}

std::string metric_panels(const BenchFile& bench, const Metric& metric) {
  return Panels(bench, metric).draw();
}

}  // namespace tandem
