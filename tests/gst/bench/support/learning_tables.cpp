// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/bench/support/learning_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tandem {
namespace {

// By all turns, the fastest one's share of luck included.
double of_fastest(const Row& row, const std::string& configuration) {
  return rate_of(row.rates, configuration).fps / row.rates[0].fps;
}

// What the fastest did in the time of a cold start.
double best_beside(const Row& row) { return row.told_fps / of_fastest(row, row.trained[0].after); }

// The frames of a cold start by what the best did in that very stream, as far as it was run there:
// what followed the training by what the choice does of the best. Unknown where none was.
double of_own_best(const Row& row) {
  const Trained& told = row.trained[0];
  if (told.own_rates.empty()) return NAN;
  const double chosen_fps =
      (row.frames - static_cast<double>(told.delivered)) / (row.seconds - told.at_s);
  const double best_fps =
      chosen_fps * told.own_rates[0].fps / rate_of(told.own_rates, told.after).fps;
  return row.frames / (best_fps * row.seconds);
}

}  // namespace

void print_cold(const std::vector<Row>& rows) {
  std::puts(
      "\n| cold start | of the best in another stream | in its own | training, s | lost, s | "
      "experiments + trials | chosen | said / what followed | best |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | --- |");
  for (const Row& row : rows) {
    const Trained& told = row.trained[0];
    std::printf("| %s, %.0f s | %.3f | %.3f | %.2f | %.2f | %d + %d | %s | %.2f | %s, %.1f |\n",
                row.name.c_str(), row.seconds, row.frames / (best_beside(row) * row.seconds),
                of_own_best(row), told.training_s, told.penalty_s, told.experiments, told.trials,
                told.after.c_str(), told.predicted_fps / told.followed_fps,
                row.rates[0].configuration.c_str(), best_beside(row));
  }
}

void print_lost(const std::vector<Row>& rows) {
  std::puts(
      "\n| cold start | first frame after, s | trained until, s | lost before it, of all | lost by "
      "training | lost after it | by a stream that is told the choice | slower than half of the "
      "best so "
      "far, s | training |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
  for (const Row& row : rows) {
    const Told& told = row.trained[0];
    const double best = best_beside(row), all = best * row.seconds;
    const double after_s = row.seconds - told.at_s;
    const double after = row.frames - static_cast<double>(told.delivered);
    const double until = static_cast<double>(told.delivered);
    std::printf("| %s | %.2f | %.2f | %.3f | %.3f | %.3f | %.3f | %.2f | %s |\n", row.name.c_str(),
                row.first_s, told.at_s, row.first_s / row.seconds,
                (best * (told.at_s - row.first_s) - until) / all, (best * after_s - after) / all,
                row.by_turns, row.slow_s, told.spent.c_str());
  }
}

void print_chosen(const std::vector<Row>& rows) {
  std::puts(
      "\n| trainings | chosen: of the fastest, of the best by other turns, said / measured, said / "
      "what "
      "followed, s | least, mean of the fastest | best |\n"
      "| --- | --- | --- | --- |");
  for (const Row& row : rows) {
    Shares shares;
    std::printf("| %s |", row.name.c_str());
    for (const Trained& told : row.trained) {
      const SteadyRate& rate = rate_of(row.rates, told.after);
      const auto [by_turns, error] = rate.of_best;
      const double share = of_fastest(row, told.after);
      std::printf(" %s: %.2f, %.2f ± %.2f, %.2f, %.2f, %.2f;", told.after.c_str(), share, by_turns,
                  error, told.predicted_fps / rate.fps, told.predicted_fps / told.followed_fps,
                  told.training_s);
      shares.add(share);
    }
    std::printf(" | %.3f, %.3f | %s |\n", shares.least, shares.mean(),
                row.rates[0].configuration.c_str());
  }
}

void print_chosen_there(const std::vector<Row>& rows) {
  std::puts(
      "\n| trainings, in their own streams | chosen: of the fastest, of the best by other turns, "
      "fastest | least, mean of the fastest |\n| --- | --- | --- |");
  for (const Row& row : rows) {
    Shares shares;
    std::printf("| %s |", row.name.c_str());
    for (const Trained& told : row.trained) {
      const SteadyRate& rate = rate_of(told.own_rates, told.after);
      const auto [by_turns, error] = rate.of_best;
      const double share = rate.fps / told.own_rates[0].fps;
      std::printf(" %s: %.2f, %.2f ± %.2f, %s;", told.after.c_str(), share, by_turns, error,
                  told.own_rates[0].configuration.c_str());
      shares.add(share);
    }
    std::printf(" | %.3f, %.3f |\n", shares.least, shares.mean());
  }
}

void print_metrics(const std::vector<Row>& rows) {
  if (std::ranges::any_of(rows, [](const Row& row) { return row.efficiency->energy_unknown; })) {
    std::puts("\nTraining by efficiency: left out, there is no energy source.");
    return;
  }
  std::puts(
      "\n| training, s | by throughput | by efficiency | ratio | chosen by efficiency |\n"
      "| --- | ---: | ---: | ---: | --- |");
  for (const Row& row : rows)
    std::printf("| %s | %.2f | %.2f | %.2f | %s |\n", row.name.c_str(), row.trained[0].training_s,
                row.efficiency->training_s, row.efficiency->training_s / row.trained[0].training_s,
                row.efficiency->after.c_str());
}

void print_second(const std::vector<Row>& rows) {
  std::puts(
      "\n| a second process | why | runs | experiments | frames 100 to 1100, of the best |\n"
      "| --- | --- | --- | ---: | ---: |");
  for (const Row& row : rows)
    std::printf("| %s | %s | %s | %d | %.3f |\n", row.name.c_str(), row.second->reason,
                row.second->configuration, row.second->experiments,
                row.second->fps / row.second->best_fps);
}

void print_derived(const std::vector<Row>& rows) {
  std::puts(
      "\n| of three quarters of the width and height | why | runs before any look | of the best | "
      "after looks | of the best | best |\n| --- | --- | --- | ---: | --- | ---: | --- |");
  for (const Row& row : rows) {
    const auto of_best = [&](const char* configuration) {
      return rate_of(row.between, configuration).fps / row.between[0].fps;
    };
    std::printf("| %s | %s | %s | %.3f | %s | %.3f | %s |\n", row.name.c_str(), row.derived->reason,
                row.derived->configuration, of_best(row.derived->configuration), row.derived->last,
                of_best(row.derived->last), row.between[0].configuration.c_str());
  }
}

}  // namespace tandem
