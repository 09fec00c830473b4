// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

#include "gst/bin/overload.h"
#include "model/objective.h"
#include "scheduler/learn/controller.h"

namespace tandem::bin {

/// Ids of tandembin's properties.
enum class Property : guint {
  mapping = 1,
  granularity,
  threads,
  lanes,
  tasks,
  split,
  cores,
  opencl_device,
  stages,
  keep_tensors,
  metric,
  target_fps,
  power_budget,
  target_latency,
  max_overhead,
  adapt,
  energy_source,
  tdp,
  cpu_fallback,
  knowledge,
  overload,
  max_lateness,
  configuration,
  stats,
  predictions,
};

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
  Objective objective;
  double max_overhead = 0.05;
  int adapt = kBoth;
  std::string energy_source = "auto";
  double tdp_w = 0;
  bool cpu_fallback = true;
  std::string knowledge = "auto";
  int overload = Overload::kBlock;
  gint64 max_lateness_ns = -1;  ///< -1: no limit

  bool operator==(const Settings&) const = default;
};

void install_properties(GObjectClass* klass);

/// The effect of a change of a property while frames flow.
enum class SettingChange { nothing, rules, objective };

/// Set and read the setting of a property that can be written.
void set_setting(Settings& settings, Property property, const GValue* value);
void get_setting(const Settings& settings, Property property, GValue* value);
SettingChange change_of(Property property);

/// Returns the rules of the settings for a chain of `stages` stages on `cores` cores. Throws
/// std::runtime_error that names the invalid property.
AdaptRules adapt_rules(const Settings& settings, int stages, int cores);

}  // namespace tandem::bin
