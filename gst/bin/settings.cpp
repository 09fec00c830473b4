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
      {Settings::kAuto, "Chosen by the bin", "auto"},
      {Settings::kCoarse, "Coarse: one frame a core, several frames at a time", "cg"},
      {Settings::kMedium, "Medium: one frame over all cores", "mg"},
      {Settings::kMediumOfTwo, "Medium: two frames at a time over half of the cores each", "mg2"},
      {Settings::kMediumOfFour, "Medium: four frames at a time over a quarter of the cores each",
       "mg4"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemGranularity", values);
  return type;
}

GType metric_get_type() {
  static const GEnumValue values[] = {
      {static_cast<int>(Metric::throughput), "Most frames a second", "throughput"},
      {static_cast<int>(Metric::energy), "Fewest joules a frame", "energy"},
      {static_cast<int>(Metric::efficiency), "Most throughput / energy", "efficiency"},
      {static_cast<int>(Metric::edp), "Least energy-delay product: joules a frame / throughput",
       "edp"},
      {static_cast<int>(Metric::latency),
       "Least latency: what 95 of 100 frames take at most from pad to pad", "latency"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemMetric", values);
  return type;
}

GType adapt_get_type() {
  static const GEnumValue values[] = {
      {Settings::kOff, "Never: what runs goes on", "off"},
      {Settings::kCaps, "When the frames' size or format changes", "caps"},
      {Settings::kDrift, "When frames take longer or shorter than they used to", "drift"},
      {Settings::kBoth, "At both", "both"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemAdapt", values);
  return type;
}

GType overload_get_type() {
  static const GEnumValue values[] = {
      {Overload::kBlock, "Upstream waits: no frame is lost", "block"},
      {Overload::kDrop, "The newest frame goes on; older ones that wait are dropped", "drop"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemOverload", values);
  return type;
}

void install(GObjectClass* klass, Property property, GParamSpec* spec) {
  g_object_class_install_property(klass, static_cast<guint>(property), spec);
}

void install_adaptation(GObjectClass* klass, GParamFlags playing, GParamFlags ready) {
  install(klass, Property::metric,
          g_param_spec_enum("metric", "Metric",
                            "What to optimise; all but throughput and latency need energy",
                            metric_get_type(), static_cast<int>(Metric::throughput), playing));
  install(klass, Property::target_fps,
          g_param_spec_double("target-fps", "Target rate",
                              "Take the least energy that reaches this rate; 0: off (frames/s)", 0,
                              G_MAXDOUBLE, 0, playing));
  install(klass, Property::power_budget,
          g_param_spec_double("power-budget", "Power budget",
                              "Take the most throughput within this power; 0: off (W)", 0,
                              G_MAXDOUBLE, 0, playing));
  install(klass, Property::target_latency,
          g_param_spec_double("target-latency", "Target latency",
                              "Take the most throughput, or with target-fps the least energy, with "
                              "which 95 of 100 frames take less from pad to pad; 0: off (ms)",
                              0, G_MAXDOUBLE, 0, playing));
  install(klass, Property::max_overhead,
          g_param_spec_double("max-overhead", "Most overhead",
                              "What training may cost; 0: never train (share of the stream's time)",
                              0, 0.99, 0.05, playing));
  install(klass, Property::adapt,
          g_param_spec_enum("adapt", "Adapt", "When to measure again what configuration is best",
                            adapt_get_type(), Settings::kBoth, playing));
  install(klass, Property::energy_source,
          g_param_spec_string("energy-source", "Energy source",
                              "auto, none, rapl, pcm, pcm:HOST:PORT, nvml, nvml:GPU or "
                              "model:c=12+35,g=8+150,u=6 (static + dynamic W)",
                              "auto", ready));
  install(klass, Property::tdp,
          g_param_spec_double(
              "tdp", "TDP",
              "Thermal design power of what the energy source covers: no configuration is "
              "expected to take more; 0: unknown (W)",
              0, G_MAXDOUBLE, 0, ready));
  install(
      klass, Property::cpu_fallback,
      g_param_spec_boolean("cpu-fallback", "CPU fallback",
                           "Compute device stages on the CPU while the device is busy; without it "
                           "they wait for the device",
                           TRUE, playing));
  install(
      klass, Property::knowledge,
      g_param_spec_string("knowledge", "Knowledge",
                          "Where what was learnt outlives the process: auto (the user's cache), "
                          "read-only (that, and nothing is added), off, or a folder",
                          "auto", ready));
}

void install_overload(GObjectClass* klass, GParamFlags playing) {
  install(klass, Property::overload,
          g_param_spec_enum("overload", "Overload",
                            "What happens to frames when the source is faster than the stages",
                            overload_get_type(), Overload::kBlock, playing));
  install(klass, Property::max_lateness,
          g_param_spec_int64("max-lateness", "Most lateness",
                             "With overload=drop, frames that come so much after their time to be "
                             "shown are dropped; -1: however late (ns)",
                             -1, G_MAXINT64, -1, playing));
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
  const auto read_only = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  install(
      klass, Property::mapping,
      g_param_spec_string(
          "mapping", "Mapping",
          "Where each stage may run, one letter a stage: g (OpenCL device; h, i: of another kind), "
          "c "
          "(CPU) or s (both at a time, each computes rows of the frame), as in gcc; or auto",
          "auto", playing));
  install(klass, Property::granularity,
          g_param_spec_enum("granularity", "Granularity", "How the CPU's cores share the work",
                            granularity_get_type(), Settings::kAuto, playing));
  install(klass, Property::threads,
          g_param_spec_int("threads", "Threads",
                           "What coarse grain computes at a time, 1 to cores + 1; 0: auto (frames)",
                           0, 1024, 0, playing));
  install(
      klass, Property::lanes,
      g_param_spec_int(
          "lanes", "Lanes",
          "What is on an OpenCL device at a time, each on a queue of its own, so that copies and "
          "kernels overlap; 0: auto, or 1 where all else is set (frames)",
          0, kMaxLanes, 0, playing));
  install(
      klass, Property::tasks,
      g_param_spec_int(
          "tasks", "Tasks",
          "In how many parts an OpenCL device computes what it can of a frame, so that copies and "
          "kernels of one frame overlap; 1: whole frames; 0: auto (bands of rows)",
          0, kMaxTasks, 0, playing));
  install(klass, Property::split,
          g_param_spec_string(
              "split", "Split",
              "The CPU's share of the rows of stages with s in `mapping`, 1 to 99; auto; "
              "or off: no frame is split (percent)",
              "auto", playing));
  install(
      klass, Property::cores,
      g_param_spec_int("cores", "Cores",
                       "What the CPU's side may use; 0: all physical ones of this process (cores)",
                       0, 1023, 0, ready));
  install(
      klass, Property::opencl_device,
      g_param_spec_string("opencl-device", "OpenCL device",
                          "Which OpenCL device: auto (never a CPU), any, or a part of its name; "
                          "several: A,B or all, of which each kind has a letter of `mapping`",
                          "auto", ready));
  install(klass, Property::stages,
          g_param_spec_string("stages", "Stages",
                              "Fills the empty bin, as in \"vividfilter ! vividhistogram ! "
                              "vividclassifier\"",
                              "", ready));
  install(klass, Property::keep_tensors,
          g_param_spec_boolean(
              "keep-tensors", "Keep tensors",
              "Leave what the stages computed on the frames that leave the bin, as "
              "GstTandemTensorMeta; takes memory for every frame that waits downstream",
              FALSE, playing));
  install_adaptation(klass, playing, ready);
  install_overload(klass, playing);
  install(
      klass, Property::configuration,
      g_param_spec_string(
          "configuration", "Configuration",
          "What runs now: mapping/granularity, threads, lanes, tasks and the CPU's share, as in "
          "gcc/cg3, ggg/cg12/q4, ggg/cg1/t4 or sss/mg/a37",
          "", read_only));
  install(
      klass, Property::predictions,
      g_param_spec_boxed("predictions", "Predictions",
                         "What is expected of every configuration for the frames that come now, as "
                         "configurations: an array of configuration, fps (frames/s), energy (J a "
                         "frame), latency (ms)",
                         GST_TYPE_STRUCTURE, read_only));
  install(
      klass, Property::stats,
      g_param_spec_boxed(
          "stats", "Statistics",
          "configuration, cores, lanes, tasks, frames, frames-cpu, frames-device, frames-mixed, "
          "frames-in-bands, "
          "frames-page-locked, frames-dropped, device-failures, in-flight, opencl-device, "
          "opencl-devices, "
          "tensors-made, "
          "opencl-buffers-made, opencl-programs-made, opencl-objects-made, "
          "predicted-fps, predicted-energy, predicted-latency, measured-fps, measured-energy "
          "(frames/s, J "
          "a frame), latency-p50, latency-p95, waiting-p95 (ms), training, experiment, trial, "
          "decisions, trainings, training-experiments, "
          "training-frames, training-seconds, training-penalty, seconds (s), training-spent, "
          "energy-source, energy-coverage, and for each "
          "of stages: name, cpu-frames, device-frames, fused-frames, cpu-ns, device-ns (ns); "
          "docs/messages.md has a table of their types and units",
          GST_TYPE_STRUCTURE, read_only));
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
                               " needs as many cores, and there are " + std::to_string(cores));
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
