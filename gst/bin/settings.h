// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

#include "gst/bin/overload.h"
#include "model/objective.h"
#include "scheduler/learn/controller.h"

namespace tandem {

/// tandembin's properties, by id.
enum BinProperty : guint {
  kBinMapping = 1,
  kBinGranularity,
  kBinThreads,
  kBinLanes,
  kBinTasks,
  kBinSplit,
  kBinCores,
  kBinOpenclDevice,
  kBinStages,
  kBinKeepTensors,
  kBinMetric,
  kBinTargetFps,
  kBinPowerBudget,
  kBinTargetLatency,
  kBinMaxOverhead,
  kBinAdapt,
  kBinEnergySource,
  kBinTdp,
  kBinCpuFallback,
  kBinKnowledge,
  kBinOverload,
  kBinMaxLateness,
  kBinConfiguration,
  kBinStats,
  kBinPredictions,
};

/// What the properties that can be written say.
struct BinSettings {
  enum GranularityChoice { kAuto, kCoarse, kMedium, kMediumOfTwo, kMediumOfFour };
  enum AdaptChoice { kOff, kCaps, kDrift, kBoth };  // bit 0: caps, bit 1: drift

  std::string mapping = "auto";
  int granularity = kAuto;
  int threads = 0;  ///< 0: auto
  int lanes = 0;    ///< 0: auto
  int tasks = 0;    ///< 0: auto
  std::string split = "auto";
  int cores = 0;  ///< 0: the physical cores that the process may use
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
  int overload = BinOverload::kBlock;
  gint64 max_lateness_ns = -1;  ///< -1: no bound

  bool operator==(const BinSettings&) const = default;
};

void install_bin_properties(GObjectClass* klass);

/// What a change of a property may lead to.
enum class SettingChange { nothing, rules, objective };

/// Sets the setting behind a property.
SettingChange set_bin_setting(BinSettings& settings, guint id, const GValue* value);
void get_bin_setting(const BinSettings& settings, guint id, GValue* value);

/// The rules that the settings make for a chain of `stages` stages and nC = `cores`. Throws
/// std::runtime_error that says which property is wrong.
AdaptRules adapt_rules(const BinSettings& settings, int stages, int cores);

}  // namespace tandem
