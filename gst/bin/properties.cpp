// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/properties.h"

#include <gst/tandem/private/propertytable.h>

#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

#include "files/parse_number.h"

namespace tandem::bin {
namespace {

GType granularity_get_type() {
  static const GEnumValue values[] = {
      {Settings::kAuto, "The bin chooses", "auto"},
      {Settings::kCoarse, "Coarse: each core computes a frame of its own", "cg"},
      {Settings::kMedium, "Medium: all cores compute one frame together", "mg"},
      {Settings::kMediumOfTwo, "Medium: two halves of the cores compute a frame each", "mg2"},
      {Settings::kMediumOfFour, "Medium: four quarters of the cores compute a frame each", "mg4"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemGranularity", values);
  return type;
}

GType metric_get_type() {
  static const GEnumValue values[] = {
      {static_cast<int>(Metric::throughput), "Highest throughput (frames/s)", "throughput"},
      {static_cast<int>(Metric::energy), "Lowest energy (J a frame)", "energy"},
      {static_cast<int>(Metric::efficiency), "Highest throughput / energy", "efficiency"},
      {static_cast<int>(Metric::edp), "Lowest energy-delay product: energy / throughput", "edp"},
      {static_cast<int>(Metric::latency), "Lowest latency: 95th percentile from pad to pad",
       "latency"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemMetric", values);
  return type;
}

GType adapt_get_type() {
  static const GEnumValue values[] = {
      {Settings::kOff, "Never: the configuration stays", "off"},
      {Settings::kCaps, "When the size or the format of the frames changes", "caps"},
      {Settings::kDrift, "When frames take longer or shorter than before", "drift"},
      {Settings::kBoth, "In both cases", "both"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemAdapt", values);
  return type;
}

GType overload_get_type() {
  static const GEnumValue values[] = {
      {Overload::kBlock, "Upstream waits: no frame is lost", "block"},
      {Overload::kDrop, "The newest frame proceeds; older frames that wait are dropped", "drop"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemOverload", values);
  return type;
}

struct BinProperty {
  Property<Settings> property;
  SettingChange change = SettingChange::nothing;
};

constexpr int kReady = GST_PARAM_MUTABLE_READY, kPlaying = GST_PARAM_MUTABLE_PLAYING;

constexpr BinProperty kProperties[] = {
    {{"mapping", "Mapping",
      "Device of each stage, one letter a stage: g (OpenCL device; h, i: of other kinds), c (CPU) "
      "or s (split: both compute rows of each frame), as in gcc; auto: the bin chooses",
      &Settings::mapping},
     SettingChange::rules},
    {{"granularity", "Granularity", "Distribution of frames over the cores", &Settings::granularity,
      0, 0, kPlaying, granularity_get_type},
     SettingChange::rules},
    {{"threads", "Threads",
      "Frames in flight on the CPU with coarse granularity, 1 to cores + 1; 0: auto (frames)",
      &Settings::threads, 0, 1024},
     SettingChange::rules},
    {{"lanes", "Lanes",
      "Frames in flight on an OpenCL device, each on a queue of its own, so that copies and "
      "kernels overlap; 0: auto, or 1 if all else is set (frames)",
      &Settings::lanes, 0, kMaxLanes},
     SettingChange::rules},
    {{"tasks", "Tasks",
      "Parts in which an OpenCL device computes a frame, so that copies and kernels of one frame "
      "overlap; 1: whole frames; 0: auto (bands of rows)",
      &Settings::tasks, 0, kMaxTasks},
     SettingChange::rules},
    {{"split", "Split",
      "The CPU's share of the rows in stages with s in `mapping`: 1 to 99, auto, or off to split "
      "no frame (percent)",
      &Settings::split},
     SettingChange::rules},
    {{"cores", "Cores",
      "Cores that the CPU's side may use; 0: all physical cores of this process (cores)",
      &Settings::cores, 0, 1023, kReady}},
    {{"opencl-device", "OpenCL device",
      "OpenCL device: auto (never a CPU), any, or a part of its name; for several devices A,B or "
      "all, with a letter of `mapping` for each kind",
      &Settings::opencl_device, 0, 0, kReady}},
    {{"stages", "Stages",
      "Launch description of the chain that fills the empty bin: stages separated by !",
      &Settings::stages, 0, 0, kReady},
     SettingChange::stages},
    {{"keep-tensors", "Keep tensors",
      "Leave the tensors of the stages on the outgoing frames, as GstTandemTensorMeta; takes "
      "memory for every frame that waits downstream",
      &Settings::keep_tensors}},
    {{"metric", "Metric",
      "Goal of the optimisation; all but throughput and latency need an energy source",
      &Settings::metric, 0, 0, kPlaying, metric_get_type},
     SettingChange::objective},
    {{"target-fps", "Target rate", "Minimise energy at this throughput or more; 0: off (frames/s)",
      &Settings::target_fps, 0, G_MAXDOUBLE},
     SettingChange::objective},
    {{"power-budget", "Power budget", "Maximise throughput within this power; 0: off (W)",
      &Settings::power_budget_w, 0, G_MAXDOUBLE},
     SettingChange::objective},
    {{"target-latency", "Target latency",
      "Maximise throughput, or with target-fps minimise energy, such that 95 of 100 frames take "
      "less from pad to pad; 0: off (ms)",
      &Settings::target_latency_ms, 0, G_MAXDOUBLE},
     SettingChange::objective},
    {{"max-overhead", "Maximum overhead",
      "Budget for training; 0: no training (share of the stream's time)", &Settings::max_overhead,
      0, 0.99},
     SettingChange::rules},
    {{"adapt", "Adapt", "Reasons to measure again which configuration is best", &Settings::adapt, 0,
      0, kPlaying, adapt_get_type},
     SettingChange::rules},
    {{"energy-source", "Energy source",
      "auto, none, rapl, pcm, pcm:HOST:PORT, nvml, nvml:GPU or model:c=12+35,g=8+150,u=6 (static + "
      "dynamic W)",
      &Settings::energy_source, 0, 0, kReady}},
    {{"tdp", "TDP",
      "Thermal design power of all that the energy source covers, an upper bound for predictions; "
      "0: unknown (W)",
      &Settings::tdp_w, 0, G_MAXDOUBLE, kReady}},
    {{"cpu-fallback", "CPU fallback",
      "Compute stages of the device on the CPU while the device is busy; otherwise they wait for "
      "the device",
      &Settings::cpu_fallback}},
    {{"knowledge", "Knowledge",
      "Storage of measurements for later processes: auto (the user's cache), read-only (the same "
      "without writing), off, or a folder",
      &Settings::knowledge, 0, 0, kReady}},
    {{"overload", "Overload", "Handling of frames if the source is faster than the stages",
      &Settings::overload, 0, 0, kPlaying, overload_get_type}},
    {{"max-lateness", "Maximum lateness",
      "With overload=drop, drop frames that arrive later than this after their presentation time; "
      "-1: no limit (ns)",
      &Settings::max_lateness_ns, -1, G_MAXINT64}},
};
static_assert(std::size(kProperties) < kConfiguration);

void install_read_only(GObjectClass* klass) {
  const auto flags = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  const auto install = [&](ReadOnlyProperty id, GParamSpec* spec) {
    g_object_class_install_property(klass, id, spec);
  };
  install(kConfiguration,
          g_param_spec_string("configuration", "Configuration",
                              "Current configuration: mapping/granularity, threads, lanes, tasks "
                              "and the CPU's share, as in gcc/cg3, ggg/cg12/q4, ggg/cg1/t4 or "
                              "sss/mg/a37",
                              "", flags));
  install(kPredictions,
          g_param_spec_boxed("predictions", "Predictions",
                             "Predictions of every configuration for the current frames, as "
                             "configurations: an array of configuration, fps (frames/s), energy "
                             "(J a frame), latency (ms)",
                             GST_TYPE_STRUCTURE, flags));
  install(kStats,
          g_param_spec_boxed(
              "stats", "Statistics",
              "configuration, cores, lanes, tasks, frames, frames-cpu, frames-device, "
              "frames-mixed, frames-passed, frames-in-bands, frames-page-locked, frames-dropped, "
              "device-failures, in-flight, opencl-device, opencl-devices, tensors-made, "
              "opencl-buffers-made, opencl-programs-made, opencl-objects-made, predicted-fps, "
              "predicted-energy, predicted-latency, measured-fps, measured-energy (frames/s, J "
              "a frame), latency-p50, latency-p95, waiting-p95 (ms), training, experiment, trial, "
              "decisions, trainings, training-experiments, training-frames, training-seconds, "
              "training-penalty, seconds (s), training-spent, energy-source, energy-coverage, and "
              "for each of stages: name, cpu-frames, device-frames, fused-frames, cpu-ns, "
              "device-ns (ns); docs/messages.md has a table of their types and units",
              GST_TYPE_STRUCTURE, flags));
}

std::optional<int> read_share(const std::string& text) {
  if (text == "auto" || text == "0") return std::nullopt;
  if (text == "off") return 0;
  const int percent = parse_number<int>(text).value_or(0);
  if (percent < 1 || percent > 99) {
    throw std::runtime_error("split=" + text +
                             " is out of range: 1 to 99 percent of the rows for the CPU, auto or "
                             "off");
  }
  return percent;
}

}  // namespace

void install_properties(GObjectClass* klass) {
  guint id = 0;
  for (const BinProperty& each : kProperties)
    g_object_class_install_property(klass, ++id, param_spec(each.property));
  install_read_only(klass);
}

SettingChange set_setting(Settings& settings, guint id, const GValue* value) {
  const BinProperty& set = kProperties[id - 1];
  set_member(set.property, settings, value);
  if (const auto* text = std::get_if<std::string Settings::*>(&set.property.member);
      text && (settings.**text).empty())
    settings.** text = Settings().**text;
  return set.change;
}

void get_setting(const Settings& settings, guint id, GValue* value) {
  get_member(kProperties[id - 1].property, settings, value);
}

AdaptRules adapt_rules(const Settings& settings, int stages, int cores) {
  AdaptRules rules;
  rules.on_caps = (settings.adapt & Settings::kCaps) != 0;
  rules.on_drift = (settings.adapt & Settings::kDrift) != 0;
  rules.max_overhead = settings.max_overhead;
  if (settings.mapping != "auto") {
    const std::string problem =
        parse_mapping(settings.mapping, stages, rules.allowed.mapping.emplace(), kMaxLetters, ~0u);
    if (!problem.empty()) throw std::runtime_error(problem);
  }
  if (settings.threads > cores + 1) {
    throw std::runtime_error("threads=" + std::to_string(settings.threads) +
                             " is out of range: 1 to " + std::to_string(cores + 1) +
                             " (cores + 1), or 0 for auto");
  }
  if (settings.lanes > 0) rules.allowed.lanes = settings.lanes;
  if (settings.tasks > 0) rules.allowed.tasks = settings.tasks;
  rules.allowed.cpu_share = read_share(settings.split);
  if (settings.granularity >= Settings::kMedium) {
    rules.allowed.granularity = Granularity::medium;  // which has no threads to choose
    rules.allowed.frames_at_once = 1 << (settings.granularity - Settings::kMedium);
    if (rules.allowed.frames_at_once > cores) {
      throw std::runtime_error("granularity=mg" + std::to_string(rules.allowed.frames_at_once) +
                               " needs as many cores, but only " + std::to_string(cores) +
                               " are available");
    }
  } else {
    if (settings.granularity == Settings::kCoarse) rules.allowed.granularity = Granularity::coarse;
    if (settings.threads > 0) rules.allowed.threads = settings.threads;
  }
  if (const std::string problem = rules.allowed.contradiction(); !problem.empty())
    throw std::runtime_error(problem);
  return rules;
}

}  // namespace tandem::bin
