// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/bench/outcome.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>

#include "pipelines/formatted.h"
#include "tests/virtual_chip/bench/figures.h"

namespace tandem::test {
namespace {

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}

bool read_line(std::string_view line, Outcome& outcome) {
  std::vector<std::string_view> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  if (cells.size() != 15) return false;
  outcome.family = cells[0];
  outcome.metric = cells[2];
  outcome.chosen = cells[9];
  outcome.best = cells[11];
  outcome.decided = cells[14] == "yes";
  double written_regret = 0;
  return read_number(cells[1], outcome.seed) && read_number(cells[3], written_regret) &&
         read_number(cells[4], outcome.training_s) && read_number(cells[5], outcome.slow_s) &&
         read_number(cells[6], outcome.first_20_s) && read_number(cells[7], outcome.experiments) &&
         read_number(cells[8], outcome.trials) && read_number(cells[10], outcome.chosen_value) &&
         read_number(cells[12], outcome.best_value) && read_number(cells[13], outcome.best_fps) &&
         std::isfinite(outcome.chosen_value) && outcome.best_value > 0 && outcome.best_fps > 0;
}

}  // namespace

std::string csv_header() {
  return "family,seed,metric,regret,training_s,slow_s,first_20_s,experiments,trials,chosen,"
         "chosen_value,best,best_value,best_fps,decided";
}

std::string to_csv(const Outcome& o) {
  return formatted("%s,%u,%s,%.6f,%.17g,%.17g,%.17g,%d,%d,%s,%.17g,%s,%.17g,%.17g,%s",
                   o.family.c_str(), o.seed, o.metric.c_str(), regret(o), o.training_s, o.slow_s,
                   o.first_20_s, o.experiments, o.trials, o.chosen.c_str(), o.chosen_value,
                   o.best.c_str(), o.best_value, o.best_fps, o.decided ? "yes" : "no");
}

std::string read_csv(const std::string& path, std::vector<Outcome>& outcomes) {
  std::ifstream file(path);
  if (!file) return "cannot read " + path + ": write it with --csv of an earlier build";
  std::string line;
  if (!std::getline(file, line) || line != csv_header())
    return path + " does not begin with the line of policy_bench --csv: write it anew";
  for (int number = 2; std::getline(file, line); ++number) {
    Outcome outcome;
    if (!read_line(line, outcome))
      return path + ": line " + std::to_string(number) + " is no line of policy_bench: write the " +
             "file anew with --csv";
    outcomes.push_back(outcome);
  }
  return {};
}

}  // namespace tandem::test
