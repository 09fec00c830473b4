// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/bench/report.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "tests/virtual_chip/bench/figures.h"

namespace tandem::test {
namespace {

constexpr double kGood = 0.95, kVeryGood = 0.99;  // of the best

// Calls `visit` with the outcomes of each family, in the order in which they come.
template <typename Visit>
void each_family(std::span<const Outcome> outcomes, Visit visit) {
  std::vector<std::string> names;
  for (const Outcome& outcome : outcomes)
    if (std::ranges::find(names, outcome.family) == names.end()) names.push_back(outcome.family);
  for (const std::string& name : names) {
    std::vector<Outcome> of_family;
    std::ranges::copy_if(outcomes, std::back_inserter(of_family),
                         [&](const Outcome& outcome) { return outcome.family == name; });
    visit(name, of_family);
  }
}

double unit(std::size_t figure) { return figure == 0 ? 100 : 1; }  // regret: percent

void print_row(const std::string& name, const std::vector<Outcome>& outcomes) {
  std::size_t good = 0, very_good = 0;
  double least = 1;
  std::array<std::vector<double>, kFigures.size()> values;
  for (const Outcome& outcome : outcomes) {
    const Figures figures = figures_of(outcome);
    for (std::size_t f = 0; f < figures.size(); ++f) values[f].push_back(unit(f) * figures[f]);
    const double reached = 1 - figures[0];
    least = std::min(least, reached);
    good += reached < kGood;
    very_good += reached < kVeryGood;
  }
  std::printf("| %s | %zu |", name.c_str(), outcomes.size());
  for (const std::vector<double>& of_figure : values) {
    const Mean mean = mean_of(of_figure);
    std::printf(" %.3f (%.3f) |", mean.mean, mean.error);
  }
  std::printf(" %.3f | %zu | %zu |\n", least, good, very_good);
}

}  // namespace

const Outcome* find_pair(std::span<const Outcome> outcomes, const Outcome& of) {
  const auto found = std::ranges::find_if(outcomes, [&](const Outcome& one) {
    return one.seed == of.seed && one.family == of.family && one.metric == of.metric;
  });
  return found == outcomes.end() ? nullptr : &*found;
}

void print_means(std::span<const Outcome> outcomes) {
  std::printf(
      "\nmean (standard error); regret in percent of the best\n"
      "| family | chips | regret, %% | training, s | slow, s | first 20 s | experiments | trials | "
      "least | < %.2f | < %.2f |\n| --- |",
      kGood, kVeryGood);
  for (int column = 1; column < 11; ++column) std::printf(" ---: |");
  std::printf("\n");
  each_family(outcomes, print_row);
  for (const Outcome& outcome : outcomes)
    if (!outcome.decided)
      std::printf("no decision: %s, seed %u\n", outcome.family.c_str(), outcome.seed);
}

void print_calibration(std::span<const Outcome> outcomes) {
  std::printf(
      "\nconfigurations that ran for the first time in a trial: (measured - expected) / standard "
      "deviation\n| family | trials | mean square | within 1, %% | within 2, %% | expected loss, "
      "%% "
      "| regret, %% |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  each_family(outcomes, [](const std::string& name, const std::vector<Outcome>& of_family) {
    Calibration sum;
    std::vector<double> losses, regrets;
    for (const Outcome& outcome : of_family) {
      sum.trials += outcome.calibration.trials;
      sum.squares += outcome.calibration.squares;
      sum.within_1 += outcome.calibration.within_1;
      sum.within_2 += outcome.calibration.within_2;
      if (!known(outcome.expected_loss)) continue;
      losses.push_back(100 * outcome.expected_loss);
      regrets.push_back(100 * regret(outcome));
    }
    const double trials = sum.trials;
    std::printf("| %s | %d | %.2f | %.0f | %.0f | %.2f | %.2f |\n", name.c_str(), sum.trials,
                sum.squares / trials, 100 * sum.within_1 / trials, 100 * sum.within_2 / trials,
                mean_of(losses).mean, mean_of(regrets).mean);
  });
}

void print_differences(std::span<const Outcome> before, std::span<const Outcome> now) {
  std::printf(
      "\nnew - old on the same chips; regret in points of a hundred\n"
      "| family | chips | figure | difference (standard error) | 95%% interval | less, more on | "
      "differs |\n| --- | ---: | --- | ---: | ---: | ---: | --- |\n");
  std::size_t alone = 0;
  each_family(now, [&](const std::string& name, const std::vector<Outcome>& outcomes) {
    std::vector<Outcome> old, paired;
    for (const Outcome& outcome : outcomes) {
      const Outcome* const pair = find_pair(before, outcome);
      if (!pair) continue;
      old.push_back(*pair);
      paired.push_back(outcome);
    }
    alone += outcomes.size() - paired.size();
    if (paired.empty()) return;
    const auto all = differences(old, paired);
    for (std::size_t f = 0; f < all.size(); ++f) {
      const auto& [mean, less, more] = all[f];
      const double half = mean.half_interval();
      std::printf("| %s | %zu | %s | %+.4f (%.4f) | %+.4f to %+.4f | %zu, %zu | %s |\n",
                  name.c_str(), paired.size(), kFigures[f], unit(f) * mean.mean,
                  unit(f) * mean.error, unit(f) * (mean.mean - half), unit(f) * (mean.mean + half),
                  less, more,
                  !mean.differs() ? ""
                  : mean.mean < 0 ? "less"
                                  : "more");
    }
  });
  if (alone > 0) std::printf("%zu chips are not in the file: they have no pair\n", alone);
}

}  // namespace tandem::test
