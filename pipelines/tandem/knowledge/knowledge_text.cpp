// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/knowledge/knowledge_text.h"

#include <algorithm>
#include <vector>

#include "files/ascii.h"
#include "pipelines/formatted.h"
#include "scheduler/learn/keep/knowledge_words.h"

namespace tandem {
namespace {

using Row = std::vector<std::string>;

std::string number(const char* pattern, double value) {
  return known(value) ? formatted(pattern, value) : "-";
}

// Columns as wide as what is in them; the letters of `right` name those that end in line.
std::string table(const std::vector<Row>& rows, const std::string& right) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      line += right[i] == 'r' ? space + row[i] : row[i] + space;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

// Without the driver, which is what makes it long.
std::string short_device(const std::string& device) {
  return device.empty() ? "none" : device.substr(0, device.find(", driver"));
}

std::string size_of(const Conditions& conditions) {
  return std::to_string(conditions.width) + "x" + std::to_string(conditions.height);
}

std::string chosen_name(const Known& known) {
  return known.chosen ? to_string(known.chosen->configuration) : "-";
}

std::string stage_times(const Observation& seen) {
  std::string text;
  for (const Observation::StageTimes& stage : seen.stages)
    text += (text.empty() ? "" : ", ") + number("%.3g", 1e3 * stage.seconds);
  return text;
}

std::string observations_text(const std::vector<Observation>& observations) {
  std::vector<Row> rows = {
      {"configuration", "kind", "frames", "frames/s", "W", "error", "stages, ms each"}};
  for (const Observation& seen : observations) {
    rows.push_back({to_string(seen.configuration), std::string(word_of(kKindWords, seen.kind)),
                    std::to_string(seen.frames), number("%.2f", 1 / seen.frame_s),
                    number("%.1f", seen.watts.sum()),
                    is_trial(seen.kind) ? "-" : formatted("%.1f%%", 100 * seen.relative_error),
                    seen.in_vain ? "the device computed none" : stage_times(seen)});
  }
  return table(rows, "llrrrrl");
}

}  // namespace

std::string element_names(const std::string& stages) {
  std::string names;
  for (std::size_t at = 0; at < stages.size();) {
    std::size_t end = std::min(stages.find(" ! ", at), stages.size());
    std::string name = stages.substr(at, std::min(stages.find(' ', at), end) - at);
    for (const char* prefix : {"Gst", "Tandem"})
      if (name.starts_with(prefix)) name.erase(0, std::char_traits<char>::length(prefix));
    names += (names.empty() ? "" : " ! ") + ascii_lower(name);
    at = end + 3;
  }
  return names;
}

std::string age_text(int64_t seconds) {
  const int64_t minutes = std::max<int64_t>(0, seconds) / 60, hours = minutes / 60;
  if (minutes < 120) return std::to_string(minutes) + " min";
  if (hours < 48) return std::to_string(hours) + " h";
  return std::to_string(hours / 24) + " days";
}

std::string describe(const Conditions& conditions) {
  return element_names(conditions.stages) + ", " + conditions.format + " " + size_of(conditions) +
         ", " + std::to_string(conditions.cores) +
         (conditions.cores == 1 ? " core, " : " cores, ") +
         (conditions.device.empty() ? "no device" : short_device(conditions.device));
}

std::string list_text(std::span<const Known> all, int64_t now_s) {
  std::vector<Row> rows = {
      {"", "format", "size", "cores", "chosen", "frames/s", "age", "device", "stages"}};
  for (const Known& one : all) {
    const Conditions& conditions = one.conditions;
    rows.push_back({std::to_string(rows.size()), conditions.format, size_of(conditions),
                    std::to_string(conditions.cores), chosen_name(one),
                    number("%.2f", one.chosen ? one.chosen->prediction.throughput_fps : kUnknown),
                    age_text(now_s - one.trained_s), short_device(conditions.device),
                    element_names(conditions.stages)});
  }
  return table(rows, "rlrrlrrll");
}

std::string show_text(const Known& known, int64_t now_s) {
  const Conditions& conditions = known.conditions;
  const Objective& objective = known.objective;
  std::vector<Row> rows = {
      {"stages", conditions.stages},
      {"frames", conditions.format + " " + size_of(conditions)},
      {"processor", conditions.processor.empty() ? "unknown" : conditions.processor},
      {"cores", std::to_string(conditions.cores)},
      {"device", conditions.device.empty() ? "none" : conditions.device},
      {"trained", age_text(now_s - known.trained_s) + " ago"},
      {"objective", std::string(word_of(kMetricWords, objective.metric))},
      {"chosen", chosen_name(known)},
  };
  if (objective.target_fps > 0)
    rows[6][1] += formatted(", at least %g frames/s", objective.target_fps);
  if (objective.power_budget_w > 0)
    rows[6][1] += formatted(", at most %g W", objective.power_budget_w);
  if (known.chosen) {
    const Prediction& expected = known.chosen->prediction;
    rows[7][1] += "; expected: " + number("%.2f", expected.throughput_fps) + " frames/s, " +
                  number("%.4g", expected.energy_j) + " J a frame";
  }
  return table(rows, "ll") + "\nMeasurements and trials:\n" +
         observations_text(known.facts.observations);
}

}  // namespace tandem
