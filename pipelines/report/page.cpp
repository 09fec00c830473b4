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

// No < or &, which HTML and XML read differently inside <style>. The colours stay apart for people
// who see few of them and in grey.
const char* const kReportStyle = R"(
:root {
  --page: #ffffff; --text: #1c1e21; --faint: #5f666d; --grid: #e2e5e8; --rule: #b9bfc5;
  --coarse: #5b8ec4; --medium: #3d5a80; --predicted: #e4570f; --best: #f2b705; --band: #e9edf1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15181c; --text: #e8eaed; --faint: #a3abb3; --grid: #2c3238; --rule: #4a525a;
    --coarse: #4f83ba; --medium: #9fc3e8; --predicted: #ff8a4c; --best: #ffd34d; --band: #252b32;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
}
main { max-width: 1240px; margin: 0 auto; padding: 16px 20px 48px; }
h1 { font-size: 1.35rem; margin: 8px 0; }
h2 { font-size: 1.25rem; margin: 28px 0 8px; padding-top: 12px; border-top: 2px solid var(--text); }
h3 { font-size: 1.1rem; margin: 28px 0 4px; }
h3 small { font-weight: normal; color: var(--faint); }
p { margin: 6px 0; max-width: 75ch; }
nav ul, .legend { list-style: none; padding: 0; margin: 8px 0; }
nav li { display: inline-block; margin-right: 18px; }
a { color: inherit; }
.definitions { position: absolute; }
.conditions { display: flex; flex-wrap: wrap; gap: 6px 32px; margin: 8px 0 14px; }
.conditions dt { color: var(--faint); font-size: 0.85em; }
.conditions dd { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 14px 3px 0; text-align: left; font-weight: normal; white-space: nowrap; }
thead th { color: var(--faint); border-bottom: 1px solid var(--rule); vertical-align: bottom; }
tbody tr { border-bottom: 1px solid var(--grid); }
.number { text-align: right; padding-left: 14px; }
.sign { width: 14px; height: 14px; margin-right: 6px; vertical-align: -2px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 22px; font-size: 0.92em; }
.panels {
  display: grid; gap: 14px 16px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, calc(0.94 * var(--panel))), 1fr));
}
figure { margin: 0; min-width: 0; break-inside: avoid; }
figcaption { display: flex; flex-wrap: wrap; gap: 0 10px; align-items: baseline; }
.panels figcaption b { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
figcaption span { color: var(--faint); font-size: 0.87em; }
figure svg { display: block; width: 100%; max-width: calc(1.4 * var(--panel, 300px)); }
.scatters { display: grid; gap: 20px; margin-top: 10px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); }
.scatter svg { max-width: 380px; }
svg text { font-size: 11px; fill: var(--faint); }
svg .name { fill: var(--text); }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: var(--grid); }
.axis { stroke: var(--rule); }
.coarse { fill: var(--coarse); }
.medium { fill: var(--medium); }
.area { fill: none; pointer-events: all; }
.predicted { fill: var(--predicted); stroke: var(--page); stroke-width: 0.9; }
.chosen { fill: var(--text); }
.best { fill: var(--best); stroke: var(--text); stroke-width: 0.9; stroke-linejoin: round; }
.baseline { fill: none; stroke: var(--text); stroke-width: 1.6; }
.baseline-rate { stroke: var(--text); stroke-dasharray: 5 4; pointer-events: none; }
.leader { stroke: var(--text); stroke-width: 0.8; }
.band { fill: var(--band); }
.equal { stroke: var(--rule); }
.scatter circle, .scatter .medium { fill-opacity: 0.8; }
details { margin-top: 28px; }
summary { cursor: pointer; font-weight: bold; }
@media (max-width: 640px) {
  main { padding: 8px 14px 32px; }
  table { font-size: 0.82em; }
  .summary tbody th { white-space: normal; }
  th, td { padding-right: 5px; }
  .number { padding-left: 5px; }
}
@page { size: A4; margin: 12mm; }
@media print {
  :root {
    --page: #ffffff; --text: #000000; --faint: #444444; --grid: #dddddd; --rule: #999999;
    --coarse: #5b8ec4; --medium: #3d5a80; --predicted: #e4570f; --best: #f2b705; --band: #e9edf1;
    color-scheme: light;
  }
  body { font-size: 9.5pt; }
  main { max-width: none; padding: 0; }
  article + article { break-before: page; }
  h1, h2, h3, .metric > p, .legend, summary { break-after: avoid; }
  h2 { margin-top: 6px; }
  h3 { margin: 12px 0 2px; }
  .legend { margin: 4px 0; }
  .metric:not(:has(.many)) { break-inside: avoid; }
  summary { list-style: none; }
  .panels { gap: 8px 10px;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, calc(0.8 * var(--panel))), 1fr)); }
  .many { grid-template-columns: repeat(auto-fit, minmax(calc(0.7 * var(--panel)), 1fr)); }
  .scatters { grid-template-columns: repeat(auto-fit, minmax(220px, 1fr)); }
  .scroll { overflow: visible; }
  .metric { margin-top: 12px; }
  tr { break-inside: avoid; }
  .values { font-size: 7pt; line-height: 1.15; }
  .values th, .values td { padding-top: 1px; padding-bottom: 1px; }
  details::details-content { content-visibility: visible; height: auto; }
}
)";

}  // namespace tandem
