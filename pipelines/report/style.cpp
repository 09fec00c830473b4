// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/report/markup.h"

namespace tandem {

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
