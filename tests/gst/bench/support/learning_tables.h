// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/gst/support/bench_search.h"

/// What learning_bench found out of an application and size, and its tables.
namespace tandem {

/// Another process, in frames 100 to 1100.
struct Second {
  char reason[32] = "?", configuration[64] = "?";
  char last[64] = "?";  ///< after looks
  int experiments = 0;
  double fps = 0, best_fps = 0;
};

/// A training, and the rate at which its stream went on.
struct Trained : Told {
  double followed_fps = 0;
  std::vector<SteadyRate> own_rates;  ///< of what it chose and others, in that stream
};

struct Row {
  std::string name;
  double frames = 0, seconds = 0, first_s = 0;  // of the cold start
  // For how long the training of the cold start was slower than half of its best 0.1 s before, or
  // its best so long as a frame takes, at most.
  double slow_s = 0;
  // After its training, by turns with a stream that is told what it chose: the median of its rate
  // by that stream's, and that stream's mean rate.
  double by_turns = 0, told_fps = 0;
  Stats cold;
  std::vector<Trained> trained;
  std::optional<Told> efficiency;
  std::vector<SteadyRate> rates;
  std::optional<Second> second, derived;
  std::vector<SteadyRate> between;  // of a size that nobody trained on, which `derived` ran first
};

void print_cold(const std::vector<Row>& rows);
/// Where the frames went that the best delivers in the time of a cold start, and it did not.
void print_lost(const std::vector<Row>& rows);
void print_chosen(const std::vector<Row>& rows);
/// Where each training's stream ran what it chose and others by turns.
void print_chosen_there(const std::vector<Row>& rows);
void print_metrics(const std::vector<Row>& rows);
void print_second(const std::vector<Row>& rows);
void print_derived(const std::vector<Row>& rows);

}  // namespace tandem
