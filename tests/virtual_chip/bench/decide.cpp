// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/bench/decide.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "tests/virtual_chip/bench/slow_time.h"
#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

constexpr int kMostFrames = 1'000'000;
constexpr double kMost_s = 300;  // a training that takes longer may never end
constexpr double kFirst_s = 20;
constexpr double kSettled_s = 3;  // from a training until frames become slower
constexpr double kWidth = 640;
constexpr int kHeight = 400;
constexpr double kLeastWindow_s = 0.1;  // of slow seconds; a frame on a core where that is longer
constexpr double kSame = 1e-9;          // relative, of rates that went through text

constexpr std::array kMetrics{std::pair{Metric::throughput, "throughput"},
                              std::pair{Metric::efficiency, "efficiency"},
                              std::pair{Metric::latency, "latency"}};

Best best_again(const Chip& chip, unsigned seed, Metric metric, const Outcome& searched) {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error(searched.family + " " + std::to_string(seed) + ": " + why +
                             ". The file is of other chips: write it anew with --csv");
  };
  Best best;
  const std::string error = parse_configuration(searched.best, static_cast<int>(chip.stages.size()),
                                                chip.cores, best.configuration);
  if (!error.empty()) refuse(error);
  best.steady = look_at(chip, seed, best.configuration);
  const double value = best.steady.value(metric);
  if (!(std::abs(value - searched.best_value) <= kSame * value))
    refuse("the best configuration does another rate than in the file");
  return best;
}

Conditions frames_of(double pixels) {
  return {"frames", "GRAY8", static_cast<int>(std::lround(kWidth * pixels)), kHeight};
}

Known trained_on(const FamilyChip::OtherSize& other, unsigned seed, Metric metric) {
  SimulatedBin bin(other.chip, seed, {metric});
  Known known;
  bin.trained([&](const Conditions& conditions, const Learnt& learnt) {
    known = known_of(conditions, learnt, 0);
  });
  bin.frames_changed(frames_of(other.pixels));
  bin.run_to_decision(kMostFrames);
  return known;
}

}  // namespace

std::string_view to_string(Metric metric) {
  return std::ranges::find(kMetrics, metric, &std::pair<Metric, const char*>::first)->second;
}

std::optional<Metric> find_metric(std::string_view name) {
  for (const auto& [metric, of_metric] : kMetrics)
    if (name == of_metric) return metric;
  return std::nullopt;
}

Outcome decide(const Family& family, unsigned seed, Metric metric, const Outcome* searched,
               bool show) {
  const FamilyChip made = family.chip(seed);
  const Chip steady = undisturbed(made.chip);
  const Best best =
      searched ? best_again(steady, seed, metric, *searched) : best_of(steady, seed, metric);
  Outcome outcome;
  outcome.family = family.name;
  outcome.seed = seed;
  outcome.metric = to_string(metric);
  outcome.best = to_string(best.configuration);
  outcome.best_value = best.steady.value(metric);
  outcome.best_fps = best.steady.throughput_fps;

  Chip now = made.before.value_or(made.chip);
  SimulatedBin bin(now, seed, {metric});
  for (const FamilyChip::OtherSize& other : made.known) bin.know({trained_on(other, seed, metric)});
  bin.frames_changed(frames_of(1));
  if (made.before) {
    bin.run_to_decision(kMostFrames);
    bin.run_until(bin.simulation().now_s() + kSettled_s);
    now = made.chip;
  }
  if (show) bin.print_what_is_tried();
  Facts training;
  bin.trained([&](const Conditions&, const Learnt& learnt) { training = learnt.facts; });
  const double begin_s = bin.simulation().now_s();
  const std::size_t first = bin.decisions().size();
  // Frames of cores side by side leave in bursts that last as long as one of them.
  SlowTime slow(begin_s, std::max(kLeastWindow_s, steady.core_frame_s(steady.cores)),
                outcome.best_fps / 2);
  // A bin that knows something decides at once, and may change its mind.
  const bool knows = made.before || !made.known.empty();
  double now_s = begin_s;
  const auto goes_on = [&] {
    const double lasted_s = now_s - begin_s;
    return knows ? lasted_s < kFirst_s : bin.decisions().empty() && lasted_s < kMost_s;
  };
  std::size_t decisions = first;
  int first_frames = 0;
  for (int frames = 0; goes_on() && frames < kMostFrames; ++frames) {
    bin.next();
    now_s = bin.simulation().now_s();
    if (!knows || bin.decisions().size() > decisions) outcome.training_s = now_s - begin_s;
    decisions = bin.decisions().size();
    slow.frame_left(now_s);
    first_frames += now_s - begin_s <= kFirst_s;
  }
  outcome.decided = !bin.decisions().empty();
  outcome.slow_s = slow.slow_s();
  for (const Decision& decision : std::span(bin.decisions()).subspan(first)) {
    outcome.experiments += decision.experiments;
    outcome.trials += decision.trials;
  }
  if (metric == Metric::throughput) outcome.calibration = calibration_of(training);
  outcome.expected_loss = bin.controller().expected_loss();
  const Configuration& chosen = bin.controller().configuration();
  const Steady reached = look_at(steady, seed, chosen);
  outcome.chosen = to_string(chosen);
  outcome.chosen_value = reached.value(metric);
  const double rest_s = std::max(0.0, kFirst_s - (now_s - begin_s));
  outcome.first_20_s =
      (first_frames + reached.throughput_fps * rest_s) / (outcome.best_fps * kFirst_s);
  return outcome;
}

}  // namespace tandem::test
