// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/performance.h"

namespace tandem {

/// Settings of tandembin and its stages from the command line; empty fields keep the defaults.
struct BinSettings {
  std::string stages;
  std::string mapping, granularity, device, split;
  std::string opencl_device, model;
  std::optional<int> threads, lanes, cores, scales, iterations;
  std::optional<double> first_scale, threshold;
  std::string metric, adapt, energy_source, knowledge;
  std::optional<double> target_fps, power_budget, target_latency, max_overhead;
};

/// A floating element. Throws Failure that names the Debian package when there is none.
GstElement* make_element(const char* factory, const char* name = nullptr);

/// Whether `element` reads a file by its name.
bool is_filesrc(GstElement* element);
/// Exact and with a point, whatever the locale: what set_property reads.
std::string to_text(double value);

/// Throws Failure when `object` has no such property, UsageError (naming `option`) when the value
/// cannot be read or is out of the property's range.
void set_property(gpointer object, const char* option, const char* property,
                  const std::string& value);

/// Sets a property of those stages in `bin` that have it; throws as set_property does.
void set_stage_property(GstElement* bin, const char* option, const char* property,
                        const std::string& value);

/// The value of this property in the first stage of `bin` that has it.
std::optional<int> stage_number(GstElement* bin, const char* property);

/// A floating tandembin called "tandem", filled and set up. Throws Failure and UsageError.
GstElement* make_tandembin(const BinSettings& settings);

/// Calls `change` in the streaming thread whenever new caps are about to enter the stage that has
/// `property`: no frame is in flight then.
void before_stage_caps(GstElement* bin, const char* property, std::function<void()> change);

/// tandembin's `stats` and `configuration`, read back.
struct StageCount {
  std::string name;
  uint64_t cpu_frames = 0, device_frames = 0;
  uint64_t cpu_ns = 0, device_ns = 0;  ///< in all
  bool can_split = false;
};
struct BinStats {
  uint64_t frames = 0, on_cpu = 0;  ///< on_cpu: that no device has touched
  int cores = 0;
  std::string configuration;
  std::vector<StageCount> stages;
  std::optional<double> measured_energy_j, latency_p95_ms;  ///< since the latest decision
  Performance predicted;                                    ///< at that decision
  bool training = false;
  int experiment = 0, trial = 0;  ///< of the training under way, from 1 on; 0: none
  int trainings = 0, training_experiments = 0, training_frames = 0;
  double training_s = 0;
  std::string energy_source;  ///< empty: none
};
BinStats read_stats(GstElement* bin);

/// The model's expectations, by configuration; empty while the bin has learnt nothing.
std::map<std::string, Performance> read_predictions(GstElement* bin);

/// A number of a structure; none when it is not there.
std::optional<double> read_double(const GstStructure* structure, const char* field);
/// A text of a structure; empty when it is not there.
std::string read_string(const GstStructure* structure, const char* field);
/// Whether a structure has this boolean, and it is true.
bool read_flag(const GstStructure* structure, const char* field);
/// The structures in an array of a structure, which owns them; none when it is not there.
std::vector<const GstStructure*> read_structures(const GstStructure* structure, const char* field);

/// The counts between two readings.
BinStats operator-(const BinStats& later, const BinStats& earlier);

}  // namespace tandem
