// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/evaluation_page.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "model/stream_model.h"
#include "pipelines/report/marks.h"
#include "pipelines/report/markup.h"

namespace tandem::streams {
namespace {

/// Speed-ups over one stream by (tasks, partitions).
using Grid = std::map<std::pair<int, int>, double>;

/// Style of the cells, behind that of the report.
extern const char* const kHeatStyle;

constexpr double kCell = 34, kHeight = 20, kLeft = 30, kTop = 18;
constexpr int kShades = 10;

// Most cells lie in the upper half of the scale.
int shade_of(double value, double most) {
  const double share = std::clamp(value / most, 0.0, 1.0);
  return static_cast<int>(std::min(share * share * kShades, kShades - 1.0));
}

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

/// A picture of a grid: a column for each number of partitions, a row for each of tasks. Cells are
/// the darker the closer they come to `most`. `marked`: gets a frame.
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

constexpr double kAsGood = 0.005;  // shares of the best that are as good as equal
constexpr double kFar = 0.9;       // shares that stand out
constexpr double kBar = 220;

std::string head(const std::string& text) { return element("th", escaped(text), "number"); }
std::string cell(const std::string& text) { return element("td", escaped(text), "number"); }

std::string bar(double share) {
  return "<svg class=\"methods\" width=\"" + svg_number(kBar) +
         "\" height=\"12\" aria-hidden=\"true\">" +
         svg_rectangle(0, 1, kBar * std::clamp(share, 0.0, 1.0), 10, "bar") + "</svg>";
}

std::string conditions(const SampleTable& table, const Evaluation& found) {
  const auto item = [](const char* name, const std::string& value) {
    return "<div>" + element("dt", name) + element("dd", escaped(value)) + "</div>";
  };
  std::string out = "<dl class=\"conditions\">";
  out += item("Device", table.origin.device + " (" + table.origin.platform + ", driver " +
                            table.origin.driver + ")");
  out += item("Processor", table.origin.processor + ", " + std::to_string(table.cores) + " cores");
  out += item("Partitions with cores of their own",
              table.own_cores.empty() ? "none: they share the device" : table.own_cores);
  out += item("Programs and samples",
              std::to_string(found.programs.size()) + ", " + std::to_string(found.samples.size()));
  out += item("Measured", table.origin.date + " with Tandem " + table.origin.version);
  out += item("Hardware counters", table.counters.empty() ? "used" : "none: " + table.counters);
  return out + "</dl>\n";
}

std::string summary(const Evaluation& found) {
  std::string rows;
  const auto row = [&](const std::string& name, const std::string& note, double speed_up,
                       double share, double least, const std::string& ahead) {
    rows += element("tr", element("th", escaped(name)) + cell(fixed(speed_up, 3)) +
                              cell(percent(share)) + element("td", bar(share)) +
                              cell(percent(least)) + cell(ahead) + element("td", escaped(note)));
  };
  row("best setting", "found by timing all of them", found.best_speed_up, 1, 1, kUnknown);
  for (const auto& method : found.methods) {
    const Evaluation::Lead lead = found.lead_over(method);
    row(method.name, method.note, method.speed_up, method.share, method.least_share,
        &method == &found.methods.front() ? kUnknown
                                          : percent(lead.ahead) + ", " + percent(lead.behind));
  }
  return "<div class=\"scroll\"><table class=\"summary\"><thead>" +
         element("tr", element("th", "Method") + head("Speed-up") + head("Of the best") +
                           element("th", "") + head("Least, of a program") +
                           head("Model is better, worse on") + element("th", "")) +
         "</thead><tbody>" + rows + "</tbody></table></div>\n";
}

std::string programs(const Evaluation& found) {
  std::string top = element("th", "Program") + head("Samples") + head("Best");
  for (const auto& method : found.methods) top += head(method.name);
  std::string rows;
  for (const std::string& program : found.programs) {
    const auto places = found.samples_of(program);
    double best = 0;
    for (const std::size_t i : places) best += found.best[i] / static_cast<double>(places.size());
    std::string row = element("th", escaped(program)) + cell(std::to_string(places.size())) +
                      cell(fixed(best, 2));
    for (const auto& method : found.methods)
      row += element("td", fixed(method.mean(&Outcome::speed_up, places), 2),
                     method.mean(&Outcome::share, places) < kFar ? "number far" : "number");
    rows += element("tr", row);
  }
  return "<section><h3>Speed-up of each program</h3>" +
         element("p", "Means over a program's data sets. Grey: below 90% of the best.") +
         "<div class=\"scroll\"><table class=\"programs\"><thead>" + element("tr", top) +
         "</thead><tbody>" + rows + "</tbody></table></div></section>\n";
}

std::string importance(const Evaluation& found) {
  std::vector<std::pair<double, std::string>> sorted;
  for (std::size_t i = 0; i < found.features.size(); ++i)
    sorted.emplace_back(found.importance[i], found.features[i]);
  std::ranges::sort(sorted, std::greater<>{});
  std::string rows;
  for (const auto& [value, name] : sorted)
    rows += element("tr", element("th", escaped(name)) + cell(percent(value)) +
                              element("td", bar(value / sorted.front().first)));
  return "<section><h3>Importance of features</h3>" +
         element("p",
                 "What each feature that is kept adds to the variance of the samples, after a "
                 "varimax rotation of their principal components.") +
         "<table>" + rows + "</table></section>\n";
}

// A program's mean over its data sets, where all of them have the setting.
Grid mean_grid(const Evaluation& found, const std::vector<std::size_t>& places,
               const std::function<double(std::size_t, const Timing&)>& value) {
  Grid sums;
  std::map<std::pair<int, int>, std::size_t> counts;
  for (const std::size_t i : places) {
    for (const Timing& t : found.samples[i]->grid) {
      sums[{t.tasks, t.partitions}] += value(i, t) / static_cast<double>(places.size());
      ++counts[{t.tasks, t.partitions}];
    }
  }
  std::erase_if(sums, [&](const auto& entry) { return counts[entry.first] < places.size(); });
  return sums;
}

StreamCandidate best_of(const Grid& grid) {
  const auto best =
      std::ranges::max_element(grid, {}, [](const auto& entry) { return entry.second; });
  return best == grid.end() ? StreamCandidate{}
                            : StreamCandidate{best->first.second, best->first.first};
}

std::string maps(const Evaluation& found) {
  std::string out;
  for (const std::string& program : found.programs) {
    const auto places = found.samples_of(program);
    const Grid measured = mean_grid(found, places, [&](std::size_t i, const Timing& t) {
      return found.samples[i]->one_stream_ns() / t.median_ns;
    });
    const Grid predicted = mean_grid(found, places, [&](std::size_t i, const Timing& t) {
      const StreamModel& model = found.models[found.fold_of[i]];
      const Sample& sample = *found.samples[i];
      return model.speed_up(model.components_of(combined_features(sample.code, sample.run)),
                            {t.partitions, t.tasks});
    });
    double most = 1;
    for (const auto& [place, value] : measured) most = std::max(most, value);
    out += heat_map(program + ", measured", measured, most, best_of(measured));
    out += heat_map(program + ", predicted", predicted, most, best_of(predicted));
  }
  return "<section><h3>Measured and predicted speed-ups</h3>" +
         element("p",
                 "Columns are partitions, rows are tasks; means over the data sets that have "
                 "the setting. The framed cell is the best. The model of a program has not "
                 "seen it.") +
         "<div class=\"maps\">" + out + "</div></section>\n";
}

}  // namespace

std::string verdict_on_constant(const Evaluation& found) {
  const auto constant =
      std::ranges::find(found.methods, "best constant", &Evaluation::OfMethod::name);
  const double model = found.methods.front().share;
  char text[200];
  std::snprintf(text, sizeof text,
                constant->share + kAsGood >= model
                    ? "One setting for all programs does as well as the model: %.1f%% of the best, "
                      "the model %.1f%%."
                    : "One setting for all programs reaches %.1f%% of the best, the model %.1f%%.",
                100 * constant->share, 100 * model);
  return text;
}

std::string evaluation_page(const SampleTable& table, const Evaluation& found) {
  const std::string title = "Streams on " + table.origin.device;
  return "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head>"
         "<meta charset=\"utf-8\"/><meta name=\"viewport\" content=\"width=device-width\"/>"
         "<meta name=\"color-scheme\" content=\"light dark\"/>" +
         element("title", escaped("Tandem: " + title)) +
         element("style", std::string(kReportStyle) + kHeatStyle) + "</head><body><main>" +
         element("h1", escaped(title)) + conditions(table, found) +
         element("p",
                 "Each program is left out in turn; what is learnt from the others chooses "
                 "for it. Speed-ups are over one partition and one task.") +
         summary(found) + element("p", escaped(verdict_on_constant(found))) + programs(found) +
         importance(found) + maps(found) + "</main></body></html>\n";
}

}  // namespace tandem::streams
