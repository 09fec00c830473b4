// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/gst/support/stream.h"

namespace tandem::test {

/// A decision of the bin, from its message.
struct Told {
  std::string reason, before, after;
  int experiments = 0;
  double predicted_fps = 0;
  int trials = 0;
  std::vector<std::string> why;         ///< of these
  std::optional<double> expected_loss;  ///< none where it is unknown
};

/// The decisions that were told.
std::vector<Told> told(const Stream& stream);

/// Lets frames through, a few at a time, until `done` or for a minute and a half.
std::vector<Result> run_until(Stream& stream, const std::function<bool()>& done, int first = 0);
/// Lets frames through, a few at a time, until `count` decisions were told and the last of them is
/// what runs: it begins with the next frame. Fails the test when that takes longer than that.
std::vector<Result> run_until(Stream& stream, std::size_t count, int first = 0);

}  // namespace tandem::test
