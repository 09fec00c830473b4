// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/evaluation_page.h"

#include <algorithm>
#include <cstdio>

#include "pipelines/report/marks.h"
#include "pipelines/report/markup.h"
#include "pipelines/streams/heat_map.h"

namespace tandem::streams {
namespace {

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
