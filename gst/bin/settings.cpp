// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/settings.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

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

void install(GObjectClass* klass, Property property, GParamSpec* spec) {
  g_object_class_install_property(klass, static_cast<guint>(property), spec);
}

void install_configuration(GObjectClass* klass, GParamFlags playing, GParamFlags ready) {
  install(klass, Property::mapping,
          g_param_spec_string("mapping", "Mapping",
                              "Device of each stage, one letter a stage: g (OpenCL device; h, i: "
                              "of other kinds), c (CPU) or s (split: both compute rows of each "
                              "frame), as in gcc; auto: the bin chooses",
                              "auto", playing));
  install(klass, Property::granularity,
          g_param_spec_enum("granularity", "Granularity", "Distribution of frames over the cores",
                            granularity_get_type(), Settings::kAuto, playing));
  install(klass, Property::threads,
          g_param_spec_int("threads", "Threads",
                           "Frames in flight on the CPU with coarse granularity, 1 to cores + 1; "
                           "0: auto (frames)",
                           0, 1024, 0, playing));
  install(klass, Property::lanes,
          g_param_spec_int("lanes", "Lanes",
                           "Frames in flight on an OpenCL device, each on a queue of its own, so "
                           "that copies and kernels overlap; 0: auto, or 1 if all else is set "
                           "(frames)",
                           0, kMaxLanes, 0, playing));
  install(klass, Property::tasks,
          g_param_spec_int("tasks", "Tasks",
                           "Parts in which an OpenCL device computes a frame, so that copies and "
                           "kernels of one frame overlap; 1: whole frames; 0: auto (bands of rows)",
                           0, kMaxTasks, 0, playing));
  install(klass, Property::split,
          g_param_spec_string("split", "Split",
                              "The CPU's share of the rows in stages with s in `mapping`: 1 to 99, "
                              "auto, or off to split no frame (percent)",
                              "auto", playing));
  install(klass, Property::cores,
          g_param_spec_int("cores", "Cores",
                           "Cores that the CPU's side may use; 0: all physical cores of this "
                           "process (cores)",
                           0, 1023, 0, ready));
  install(klass, Property::opencl_device,
          g_param_spec_string("opencl-device", "OpenCL device",
                              "OpenCL device: auto (never a CPU), any, or a part of its name; for "
                              "several devices A,B or all, with a letter of `mapping` for each "
                              "kind",
                              "auto", ready));
}

void install_adaptation(GObjectClass* klass, GParamFlags playing, GParamFlags ready) {
  install(klass, Property::metric,
          g_param_spec_enum("metric", "Metric",
                            "Goal of the optimisation; all but throughput and latency need an "
                            "energy source",
                            metric_get_type(), static_cast<int>(Metric::throughput), playing));
  install(klass, Property::target_fps,
          g_param_spec_double("target-fps", "Target rate",
                              "Minimise energy at this throughput or more; 0: off (frames/s)", 0,
                              G_MAXDOUBLE, 0, playing));
  install(klass, Property::power_budget,
          g_param_spec_double("power-budget", "Power budget",
                              "Maximise throughput within this power; 0: off (W)", 0, G_MAXDOUBLE,
                              0, playing));
  install(klass, Property::target_latency,
          g_param_spec_double("target-latency", "Target latency",
                              "Maximise throughput, or with target-fps minimise energy, such that "
                              "95 of 100 frames take less from pad to pad; 0: off (ms)",
                              0, G_MAXDOUBLE, 0, playing));
  install(klass, Property::max_overhead,
          g_param_spec_double("max-overhead", "Maximum overhead",
                              "Budget for training; 0: no training (share of the stream's time)", 0,
                              0.99, 0.05, playing));
  install(
      klass, Property::adapt,
      g_param_spec_enum("adapt", "Adapt", "Reasons to measure again which configuration is best",
                        adapt_get_type(), Settings::kBoth, playing));
  install(klass, Property::energy_source,
          g_param_spec_string("energy-source", "Energy source",
                              "auto, none, rapl, pcm, pcm:HOST:PORT, nvml, nvml:GPU or "
                              "model:c=12+35,g=8+150,u=6 (static + dynamic W)",
                              "auto", ready));
  install(klass, Property::tdp,
          g_param_spec_double("tdp", "TDP",
                              "Thermal design power of all that the energy source covers, an upper "
                              "bound for predictions; 0: unknown (W)",
                              0, G_MAXDOUBLE, 0, ready));
  install(klass, Property::cpu_fallback,
          g_param_spec_boolean("cpu-fallback", "CPU fallback",
                               "Compute stages of the device on the CPU while the device is busy; "
                               "otherwise they wait for the device",
                               TRUE, playing));
  install(klass, Property::knowledge,
          g_param_spec_string("knowledge", "Knowledge",
                              "Storage of measurements for later processes: auto (the user's "
                              "cache), read-only (the same without writing), off, or a folder",
                              "auto", ready));
}

void install_frames(GObjectClass* klass, GParamFlags playing, GParamFlags ready) {
  install(klass, Property::stages,
          g_param_spec_string("stages", "Stages",
                              "Launch description of the chain that fills the empty bin: stages "
                              "separated by !",
                              "", ready));
  install(klass, Property::keep_tensors,
          g_param_spec_boolean("keep-tensors", "Keep tensors",
                               "Leave the tensors of the stages on the outgoing frames, as "
                               "GstTandemTensorMeta; takes memory for every frame that waits "
                               "downstream",
                               FALSE, playing));
  install(klass, Property::overload,
          g_param_spec_enum("overload", "Overload",
                            "Handling of frames if the source is faster than the stages",
                            overload_get_type(), Overload::kBlock, playing));
  install(klass, Property::max_lateness,
          g_param_spec_int64("max-lateness", "Maximum lateness",
                             "With overload=drop, drop frames that arrive later than this after "
                             "their presentation time; -1: no limit (ns)",
                             -1, G_MAXINT64, -1, playing));
}

void install_reports(GObjectClass* klass) {
  const auto read_only = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  install(klass, Property::configuration,
          g_param_spec_string("configuration", "Configuration",
                              "Current configuration: mapping/granularity, threads, lanes, tasks "
                              "and the CPU's share, as in gcc/cg3, ggg/cg12/q4, ggg/cg1/t4 or "
                              "sss/mg/a37",
                              "", read_only));
  install(klass, Property::predictions,
          g_param_spec_boxed("predictions", "Predictions",
                             "Predictions of every configuration for the current frames, as "
                             "configurations: an array of configuration, fps (frames/s), energy "
                             "(J a frame), latency (ms)",
                             GST_TYPE_STRUCTURE, read_only));
  install(klass, Property::stats,
          g_param_spec_boxed(
              "stats", "Statistics",
              "configuration, cores, lanes, tasks, frames, frames-cpu, frames-device, "
              "frames-mixed, frames-in-bands, frames-page-locked, frames-dropped, "
              "device-failures, in-flight, opencl-device, opencl-devices, tensors-made, "
              "opencl-buffers-made, opencl-programs-made, opencl-objects-made, predicted-fps, "
              "predicted-energy, predicted-latency, measured-fps, measured-energy (frames/s, J "
              "a frame), latency-p50, latency-p95, waiting-p95 (ms), training, experiment, trial, "
              "decisions, trainings, training-experiments, training-frames, training-seconds, "
              "training-penalty, seconds (s), training-spent, energy-source, energy-coverage, and "
              "for each of stages: name, cpu-frames, device-frames, fused-frames, cpu-ns, "
              "device-ns (ns); docs/messages.md has a table of their types and units",
              GST_TYPE_STRUCTURE, read_only));
}

// Calls `use` with the member behind a property that can be written.
template <class SomeSettings, class Use>
void with_member(SomeSettings& settings, Property property, Use&& use) {
  switch (property) {
    case Property::mapping:
      return use(settings.mapping);
    case Property::granularity:
      return use(settings.granularity);
    case Property::threads:
      return use(settings.threads);
    case Property::lanes:
      return use(settings.lanes);
    case Property::tasks:
      return use(settings.tasks);
    case Property::split:
      return use(settings.split);
    case Property::cores:
      return use(settings.cores);
    case Property::opencl_device:
      return use(settings.opencl_device);
    case Property::stages:
      return use(settings.stages);
    case Property::keep_tensors:
      return use(settings.keep_tensors);
    case Property::metric:
      return use(settings.objective.metric);
    case Property::target_fps:
      return use(settings.objective.target_fps);
    case Property::power_budget:
      return use(settings.objective.power_budget_w);
    case Property::target_latency:
      return use(settings.objective.target_latency_s);
    case Property::max_overhead:
      return use(settings.max_overhead);
    case Property::adapt:
      return use(settings.adapt);
    case Property::energy_source:
      return use(settings.energy_source);
    case Property::tdp:
      return use(settings.tdp_w);
    case Property::cpu_fallback:
      return use(settings.cpu_fallback);
    case Property::knowledge:
      return use(settings.knowledge);
    case Property::overload:
      return use(settings.overload);
    case Property::max_lateness:
      return use(settings.max_lateness_ns);
    default:
      g_assert_not_reached();
  }
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
  const auto flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  const auto playing = static_cast<GParamFlags>(flags | GST_PARAM_MUTABLE_PLAYING);
  const auto ready = static_cast<GParamFlags>(flags | GST_PARAM_MUTABLE_READY);
  install_configuration(klass, playing, ready);
  install_frames(klass, playing, ready);
  install_adaptation(klass, playing, ready);
  install_reports(klass);
}

void set_setting(Settings& settings, Property property, const GValue* value) {
  with_member(settings, property, [&](auto& member) {
    using Member = std::remove_reference_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, std::string>) {
      const gchar* text = g_value_get_string(value);
      const char* const otherwise = property == Property::stages ? "" : "auto";
      member = text && *text ? text : otherwise;
    } else if constexpr (std::is_same_v<Member, bool>) {
      member = g_value_get_boolean(value) != FALSE;
    } else if constexpr (std::is_same_v<Member, double>) {
      const double unit = property == Property::target_latency ? 1e-3 : 1;
      member = unit * g_value_get_double(value);
    } else if constexpr (std::is_same_v<Member, gint64>) {
      member = g_value_get_int64(value);
    } else {
      member = static_cast<Member>(G_VALUE_HOLDS_ENUM(value) ? g_value_get_enum(value)
                                                             : g_value_get_int(value));
    }
  });
}

void get_setting(const Settings& settings, Property property, GValue* value) {
  with_member(settings, property, [&](const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, std::string>) {
      g_value_set_string(value, member.c_str());
    } else if constexpr (std::is_same_v<Member, bool>) {
      g_value_set_boolean(value, member);
    } else if constexpr (std::is_same_v<Member, double>) {
      g_value_set_double(value, property == Property::target_latency ? 1e3 * member : member);
    } else if constexpr (std::is_same_v<Member, gint64>) {
      g_value_set_int64(value, member);
    } else if (G_VALUE_HOLDS_ENUM(value)) {
      g_value_set_enum(value, static_cast<int>(member));
    } else {
      g_value_set_int(value, static_cast<int>(member));
    }
  });
}

SettingChange change_of(Property property) {
  switch (property) {
    case Property::mapping:
    case Property::granularity:
    case Property::threads:
    case Property::lanes:
    case Property::tasks:
    case Property::split:
    case Property::max_overhead:
    case Property::adapt:
      return SettingChange::rules;
    case Property::metric:
    case Property::target_fps:
    case Property::power_budget:
    case Property::target_latency:
      return SettingChange::objective;
    default:
      return SettingChange::nothing;
  }
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
