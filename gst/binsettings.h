// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

#include "model/configuration.h"

namespace tandem {

/// tandembin's properties, by id.
enum BinProperty : guint {
  kBinMapping = 1,
  kBinGranularity,
  kBinThreads,
  kBinCores,
  kBinOpenclDevice,
  kBinStages,
  kBinKeepTensors,
  kBinConfiguration,
  kBinStats,
};

/// What the properties that can be written say.
struct BinSettings {
  enum GranularityChoice { kAuto, kCoarse, kMedium };

  std::string mapping = "auto";
  int granularity = kAuto;
  int threads = 0;  ///< 0: auto
  int cores = 0;    ///< 0: the physical cores that the process may use
  std::string opencl_device = "auto";
  std::string stages;
  bool keep_tensors = false;
};

void install_bin_properties(GObjectClass* klass);

/// Sets the setting behind a property; true when another configuration may follow from it.
bool set_bin_setting(BinSettings& settings, guint id, const GValue* value);
void get_bin_setting(const BinSettings& settings, guint id, GValue* value);

/// The configuration that the settings ask for on a chain of `stages` stages and nC = `cores`.
/// Throws std::runtime_error that says which property is wrong.
Configuration requested_configuration(const BinSettings& settings, int stages, int cores);

}  // namespace tandem
