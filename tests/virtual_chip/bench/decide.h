// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string_view>

#include "model/objective.h"
#include "tests/virtual_chip/bench/outcome.h"
#include "tests/virtual_chip/chip/families.h"

namespace tandem::test {

std::string_view to_string(Metric metric);
/// None where policy_bench has no metric of this name: throughput, efficiency, latency.
std::optional<Metric> find_metric(std::string_view name);

/// Lets a bin decide on the chip of a seed, and compares its choice with the best configuration of
/// the chip without bursts and drift. `searched`: an outcome of an earlier build on that chip,
/// whose best configuration is taken over; null: it is searched. `show`: prints each experiment and
/// trial. Throws std::runtime_error if the configuration of `searched` does another rate here.
Outcome decide(const Family& family, unsigned seed, Metric metric, const Outcome* searched,
               bool show = false);

}  // namespace tandem::test
