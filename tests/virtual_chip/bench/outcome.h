// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "model/measurements.h"
#include "tests/virtual_chip/bench/calibration.h"

namespace tandem::test {

/// What a bin decided on one chip. Values are those of the metric, of which more is better.
struct Outcome {
  std::string family;
  unsigned seed = 0;
  std::string metric;
  double training_s = 0;
  double slow_s = 0;      ///< of the training, below half of the rate of `best`
  double first_20_s = 0;  ///< frames of the first 20 s, by those of 20 s under `best`
  int experiments = 0, trials = 0;
  std::string chosen, best;  ///< `best`: of the search
  double chosen_value = 0, best_value = 0;
  double best_fps = 0;  ///< of `best`
  bool decided = true;  ///< false: no decision came, and `chosen` is what ran then
  // In no file.
  double expected_loss = kUnknown;  ///< Choice::expected_loss of what is `chosen`
  Calibration calibration = {};     ///< of the training
};

/// The first line of a CSV file, and a line for an outcome; neither ends.
std::string csv_header();
std::string to_csv(const Outcome& outcome);

/// Outcomes of a CSV file. Returns the empty string, or what is wrong and what to do.
std::string read_csv(const std::string& path, std::vector<Outcome>& outcomes);

}  // namespace tandem::test
