// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/report/page.h"

#include "pipelines/report/marks.h"
#include "pipelines/report/markup.h"

namespace tandem {
namespace {

std::string legend_item(const std::string& sign, const std::string& text) {
  return element("li", sign + escaped(text));
}

std::string swatch(const char* css_class) {
  return "<svg class=\"sign\" viewBox=\"0 0 14 14\" aria-hidden=\"true\">" +
         svg_rectangle(3, 1, 8, 12, css_class) + "</svg>";
}

std::string named(const std::string& what, const std::string& name, std::optional<double> value,
                  const Metric& metric) {
  return what + ": " + name + ", " + (value ? metric.with_unit(*value) : "not measured");
}

std::string legend(const BenchFile& bench, const Metric& metric) {
  std::string out = "<ul class=\"legend\">";
  out += legend_item(swatch("coarse"), "measured, cg");
  out += legend_item(swatch("medium"), "measured, mg");
  if (metric.any_predicted()) out += legend_item(mark_in_text(Mark::predicted), "predicted");
  if (bench.chosen) {
    std::optional<double> value;
    if (const BenchFile::Configuration* found = find_configuration(bench, bench.chosen->name)) {
      value = metric.values[static_cast<std::size_t>(found - bench.configurations.data())].measured;
    }
    out +=
        legend_item(mark_in_text(Mark::chosen), named("chosen", bench.chosen->name, value, metric));
  }
  if (const std::optional<std::size_t> best = metric.best()) {
    out += legend_item(mark_in_text(Mark::best), named(metric.lower_is_better ? "least" : "best",
                                                       bench.configurations[*best].name,
                                                       metric.values[*best].measured, metric));
  }
  if (bench.baseline) {
    out += legend_item(mark_in_text(Mark::baseline),
                       named("baseline", bench.baseline->name, metric.baseline, metric) +
                           (metric.baseline ? " (dashed line)" : ""));
  }
  return out + "</ul>\n";
}

// Nothing where no configuration has a value.
std::string metric_part(const BenchFile& bench, const Metric& metric) {
  if (!metric.any()) return "";
  std::string how = metric.unit;
  if (!metric.formula.empty()) how += ", " + metric.formula;
  how += metric.lower_is_better ? "; less is better" : "; more is better";
  if (has_logarithmic_scale(metric)) how += "; logarithmic scale";
  return "<section class=\"metric\">" +
         element("h3", escaped(metric.title) + " " + element("small", escaped(how))) +
         legend(bench, metric) + metric_panels(bench, metric) + "</section>\n";
}

std::string predictions_part(const BenchFile& bench, const std::vector<Metric>& metrics) {
  std::string charts;
  for (const Metric& metric : metrics) charts += prediction_scatter(bench, metric);
  if (charts.empty()) return "";
  std::string out = "<section class=\"metric\"><h3>Predicted against measured</h3>";
  out += element("p",
                 "A point is a configuration: round for coarse grain, square for medium. On the "
                 "line prediction and measurement are equal; in the band they differ by at most " +
                     fixed(100 * kPredictionBand, 0) + "%.");
  return out + "<div class=\"scatters\">\n" + charts + "</div></section>\n";
}

std::string how_to_read(const BenchFile& bench) {
  std::string text =
      "A panel is a mapping: its letters tell for each stage whether it may run on the device (g; "
      "h "
      "and i: of another kind) or stays on the CPU (c). Its bars are coarse grain (cg) with 1, 2, "
      "... threads, then medium "
      "grain (mg). Beside the letters is the best of the panel. All panels of a chart share a "
      "scale.";
  if (bench.baseline) {
    text +=
        " The baseline is the earlier method: medium grain, each stage only where it takes less "
        "time. The bar under its mark may compute device stages on the CPU too.";
  }
  return text;
}

std::string bench_part(const BenchFile& bench, std::size_t number) {
  const std::vector<Metric> metrics = metrics_of(bench);
  std::string parts;
  for (const Metric& metric : metrics) parts += metric_part(bench, metric);
  return "<article id=\"bench-" + std::to_string(number) + "\">" +
         element("h2", escaped(bench_title(bench))) + "\n" + bench_conditions(bench) +
         summary_table(bench, metrics) + element("p", escaped(how_to_read(bench))) + "\n" + parts +
         predictions_part(bench, metrics) + "<details><summary>All values</summary>\n" +
         values_table(bench, metrics) + "</details></article>\n";
}

std::string contents(const std::vector<BenchFile>& benches) {
  std::string out = "<nav><ul>";
  for (std::size_t i = 0; i < benches.size(); ++i) {
    out += "<li><a href=\"#bench-" + std::to_string(i + 1) + "\">" +
           escaped(bench_title(benches[i])) + "</a></li>";
  }
  return out + "</ul></nav>\n";
}

}  // namespace

std::string report_page(const std::vector<BenchFile>& benches) {
  std::string out =
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head>"
      "<meta charset=\"utf-8\"/><meta name=\"viewport\" content=\"width=device-width\"/>"
      "<meta name=\"color-scheme\" content=\"light dark\"/>";
  std::string title = "Tandem: " + bench_title(benches[0]);
  if (benches.size() > 1) title += " and " + std::to_string(benches.size() - 1) + " more";
  out += element("title", escaped(title)) + element("style", kReportStyle) + "</head><body>\n" +
         mark_definitions() + "<main>" +
         element("h1", "Every configuration, predicted and measured");
  if (benches.size() > 1) out += contents(benches);
  for (std::size_t i = 0; i < benches.size(); ++i) out += bench_part(benches[i], i + 1);
  return out + "</main></body></html>\n";
}

}  // namespace tandem
