// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

#include "gst/bin/overload.h"
#include "model/objective.h"
#include "scheduler/learn/run/controller.h"

namespace tandem::bin {

/// The values of the properties that can be written.
struct Settings {
  enum GranularityChoice { kAuto, kCoarse, kMedium, kMediumOfTwo, kMediumOfFour };
  enum AdaptChoice { kOff, kCaps, kDrift, kBoth };  // bit 0: caps, bit 1: drift

  std::string mapping = "auto";
  int granularity = kAuto;
  int threads = 0;  ///< 0: auto
  int lanes = 0;    ///< 0: auto
  int tasks = 0;    ///< 0: auto
  std::string split = "auto";
  int cores = 0;  ///< 0: all physical cores that the process may use
  std::string opencl_device = "auto";
  std::string stages;
  bool keep_tensors = false;
  int metric = static_cast<int>(Metric::throughput);
  double target_fps = 0;         ///< 0: off
  double power_budget_w = 0;     ///< 0: off
  double target_latency_ms = 0;  ///< 0: off
  double max_overhead = 0.05;
  int adapt = kBoth;
  std::string energy_source = "auto";
  double tdp_w = 0;
  bool cpu_fallback = true;
  std::string knowledge = "auto";
  int overload = Overload::kBlock;
  gint64 max_lateness_ns = -1;  ///< -1: no limit

  bool operator==(const Settings&) const = default;
  Objective objective() const {
    return {static_cast<Metric>(metric), target_fps, power_budget_w, 1e-3 * target_latency_ms};
  }
};

/// The effect of a change of a property while frames flow.
enum class SettingChange { nothing, rules, objective, stages };

/// Ids of the properties that can only be read.
enum ReadOnlyProperty : guint { kConfiguration = 100, kStats, kPredictions };

/// Installs the properties: those of Settings with ids from 1 on.
void install_properties(GObjectClass* klass);
/// Set and read the setting of a property that can be written. An empty string is the default.
SettingChange set_setting(Settings& settings, guint id, const GValue* value);
void get_setting(const Settings& settings, guint id, GValue* value);

/// Returns the rules of the settings for a chain of `stages` stages on `cores` cores. Throws
/// std::runtime_error that names the invalid property.
AdaptRules adapt_rules(const Settings& settings, int stages, int cores);

}  // namespace tandem::bin
