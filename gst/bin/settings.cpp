// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/settings.h"

namespace tandem {
namespace {

GType granularity_get_type() {
  static const GEnumValue values[] = {
      {BinSettings::kAuto, "Chosen by the bin", "auto"},
      {BinSettings::kCoarse, "Coarse: one frame a core, several frames at a time", "cg"},
      {BinSettings::kMedium, "Medium: one frame over all cores", "mg"},
      {BinSettings::kMediumOfTwo, "Medium: two frames at a time over half of the cores each",
       "mg2"},
      {BinSettings::kMediumOfFour, "Medium: four frames at a time over a quarter of the cores each",
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
      {BinSettings::kOff, "Never: what runs goes on", "off"},
      {BinSettings::kCaps, "When the frames' size or format changes", "caps"},
      {BinSettings::kDrift, "When frames take longer or shorter than they used to", "drift"},
      {BinSettings::kBoth, "At both", "both"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemAdapt", values);
  return type;
}

GType overload_get_type() {
  static const GEnumValue values[] = {
      {BinOverload::kBlock, "Upstream waits: no frame is lost", "block"},
      {BinOverload::kDrop, "The newest frame goes on; older ones that wait are dropped", "drop"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemOverload", values);
  return type;
}

std::string text_of(const GValue* value, const char* otherwise) {
  const gchar* text = g_value_get_string(value);
  return text && *text ? text : otherwise;
}

void install_adaptation(GObjectClass* klass, GParamFlags playing, GParamFlags ready) {
  g_object_class_install_property(
      klass, kBinMetric,
      g_param_spec_enum("metric", "Metric",
                        "What to optimise; all but throughput and latency need energy",
                        metric_get_type(), static_cast<int>(Metric::throughput), playing));
  g_object_class_install_property(
      klass, kBinTargetFps,
      g_param_spec_double("target-fps", "Target rate",
                          "Take the least energy that reaches this rate; 0: off (frames/s)", 0,
                          G_MAXDOUBLE, 0, playing));
  g_object_class_install_property(
      klass, kBinPowerBudget,
      g_param_spec_double("power-budget", "Power budget",
                          "Take the most throughput within this power; 0: off (W)", 0, G_MAXDOUBLE,
                          0, playing));
  g_object_class_install_property(
      klass, kBinTargetLatency,
      g_param_spec_double("target-latency", "Target latency",
                          "Take the most throughput, or with target-fps the least energy, with "
                          "which 95 of 100 frames take less from pad to pad; 0: off (ms)",
                          0, G_MAXDOUBLE, 0, playing));
  g_object_class_install_property(
      klass, kBinMaxOverhead,
      g_param_spec_double("max-overhead", "Most overhead",
                          "What training may cost; 0: never train (share of the stream's time)", 0,
                          0.99, 0.05, playing));
  g_object_class_install_property(
      klass, kBinAdapt,
      g_param_spec_enum("adapt", "Adapt", "When to measure again what configuration is best",
                        adapt_get_type(), BinSettings::kBoth, playing));
  g_object_class_install_property(
      klass, kBinEnergySource,
      g_param_spec_string("energy-source", "Energy source",
                          "auto, none, rapl, pcm, pcm:HOST:PORT, nvml, nvml:GPU or "
                          "model:c=12+35,g=8+150,u=6 (static + dynamic W)",
                          "auto", ready));
  g_object_class_install_property(
      klass, kBinTdp,
      g_param_spec_double(
          "tdp", "TDP",
          "Thermal design power of what the energy source covers: no configuration is "
          "expected to take more; 0: unknown (W)",
          0, G_MAXDOUBLE, 0, ready));
  g_object_class_install_property(
      klass, kBinCpuFallback,
      g_param_spec_boolean("cpu-fallback", "CPU fallback",
                           "Compute device stages on the CPU while the device is busy; without it "
                           "they wait for the device",
                           TRUE, playing));
  g_object_class_install_property(
      klass, kBinKnowledge,
      g_param_spec_string("knowledge", "Knowledge",
                          "Where what was learnt outlives the process: auto (the user's cache), "
                          "read-only (that, and nothing is added), off, or a folder",
                          "auto", ready));
}

void install_overload(GObjectClass* klass, GParamFlags playing) {
  g_object_class_install_property(
      klass, kBinOverload,
      g_param_spec_enum("overload", "Overload",
                        "What happens to frames when the source is faster than the stages",
                        overload_get_type(), BinOverload::kBlock, playing));
  g_object_class_install_property(
      klass, kBinMaxLateness,
      g_param_spec_int64("max-lateness", "Most lateness",
                         "With overload=drop, frames that come so much after their time to be "
                         "shown are dropped; -1: however late (ns)",
                         -1, G_MAXINT64, -1, playing));
}

}  // namespace

void install_bin_properties(GObjectClass* klass) {
  const auto flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  const auto playing = static_cast<GParamFlags>(flags | GST_PARAM_MUTABLE_PLAYING);
  const auto ready = static_cast<GParamFlags>(flags | GST_PARAM_MUTABLE_READY);
  const auto read_only = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property(
      klass, kBinMapping,
      g_param_spec_string(
          "mapping", "Mapping",
          "Where each stage may run, one letter a stage: g (OpenCL device; h, i: of another kind), "
          "c "
          "(CPU) or s (both at a time, each computes rows of the frame), as in gcc; or auto",
          "auto", playing));
  g_object_class_install_property(
      klass, kBinGranularity,
      g_param_spec_enum("granularity", "Granularity", "How the CPU's cores share the work",
                        granularity_get_type(), BinSettings::kAuto, playing));
  g_object_class_install_property(
      klass, kBinThreads,
      g_param_spec_int("threads", "Threads",
                       "What coarse grain computes at a time, 1 to cores + 1; 0: auto (frames)", 0,
                       1024, 0, playing));
  g_object_class_install_property(
      klass, kBinLanes,
      g_param_spec_int(
          "lanes", "Lanes",
          "What is on an OpenCL device at a time, each on a queue of its own, so that copies and "
          "kernels overlap; 0: auto, or 1 where all else is set (frames)",
          0, kMaxLanes, 0, playing));
  g_object_class_install_property(
      klass, kBinTasks,
      g_param_spec_int(
          "tasks", "Tasks",
          "In how many parts an OpenCL device computes what it can of a frame, so that copies and "
          "kernels of one frame overlap; 1: whole frames; 0: auto (bands of rows)",
          0, kMaxTasks, 0, playing));
  g_object_class_install_property(
      klass, kBinSplit,
      g_param_spec_string(
          "split", "Split",
          "The CPU's share of the rows of stages with s in `mapping`, 1 to 99; auto; "
          "or off: no frame is split (percent)",
          "auto", playing));
  g_object_class_install_property(
      klass, kBinCores,
      g_param_spec_int("cores", "Cores",
                       "What the CPU's side may use; 0: all physical ones of this process (cores)",
                       0, 1023, 0, ready));
  g_object_class_install_property(
      klass, kBinOpenclDevice,
      g_param_spec_string("opencl-device", "OpenCL device",
                          "Which OpenCL device: auto (never a CPU), any, or a part of its name; "
                          "several: A,B or all, of which each kind has a letter of `mapping`",
                          "auto", ready));
  g_object_class_install_property(
      klass, kBinStages,
      g_param_spec_string("stages", "Stages",
                          "Fills the empty bin, as in \"vividfilter ! vividhistogram ! "
                          "vividclassifier\"",
                          "", ready));
  g_object_class_install_property(
      klass, kBinKeepTensors,
      g_param_spec_boolean(
          "keep-tensors", "Keep tensors",
          "Leave what the stages computed on the frames that leave the bin, as "
          "GstTandemTensorMeta; takes memory for every frame that waits downstream",
          FALSE, playing));
  install_adaptation(klass, playing, ready);
  install_overload(klass, playing);
  g_object_class_install_property(
      klass, kBinConfiguration,
      g_param_spec_string(
          "configuration", "Configuration",
          "What runs now: mapping/granularity, threads, lanes, tasks and the CPU's share, as in "
          "gcc/cg3, ggg/cg12/q4, ggg/cg1/t4 or sss/mg/a37",
          "", read_only));
  g_object_class_install_property(
      klass, kBinPredictions,
      g_param_spec_boxed("predictions", "Predictions",
                         "What is expected of every configuration for the frames that come now, as "
                         "configurations: an array of configuration, fps (frames/s), energy (J a "
                         "frame), latency (ms)",
                         GST_TYPE_STRUCTURE, read_only));
  g_object_class_install_property(
      klass, kBinStats,
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

SettingChange set_bin_setting(BinSettings& settings, guint id, const GValue* value) {
  switch (id) {
    case kBinMapping:
      settings.mapping = text_of(value, "auto");
      return SettingChange::rules;
    case kBinGranularity:
      settings.granularity = g_value_get_enum(value);
      return SettingChange::rules;
    case kBinThreads:
      settings.threads = g_value_get_int(value);
      return SettingChange::rules;
    case kBinLanes:
      settings.lanes = g_value_get_int(value);
      return SettingChange::rules;
    case kBinTasks:
      settings.tasks = g_value_get_int(value);
      return SettingChange::rules;
    case kBinSplit:
      settings.split = text_of(value, "auto");
      return SettingChange::rules;
    case kBinCores:
      settings.cores = g_value_get_int(value);
      return SettingChange::nothing;
    case kBinOpenclDevice:
      settings.opencl_device = text_of(value, "auto");
      return SettingChange::nothing;
    case kBinStages:
      settings.stages = text_of(value, "");
      return SettingChange::nothing;
    case kBinKeepTensors:
      settings.keep_tensors = g_value_get_boolean(value);
      return SettingChange::nothing;
    case kBinMetric:
      settings.objective.metric = static_cast<Metric>(g_value_get_enum(value));
      return SettingChange::objective;
    case kBinTargetFps:
      settings.objective.target_fps = g_value_get_double(value);
      return SettingChange::objective;
    case kBinPowerBudget:
      settings.objective.power_budget_w = g_value_get_double(value);
      return SettingChange::objective;
    case kBinTargetLatency:
      settings.objective.target_latency_s = 1e-3 * g_value_get_double(value);
      return SettingChange::objective;
    case kBinMaxOverhead:
      settings.max_overhead = g_value_get_double(value);
      return SettingChange::rules;
    case kBinAdapt:
      settings.adapt = g_value_get_enum(value);
      return SettingChange::rules;
    case kBinEnergySource:
      settings.energy_source = text_of(value, "auto");
      return SettingChange::nothing;
    case kBinTdp:
      settings.tdp_w = g_value_get_double(value);
      return SettingChange::nothing;
    case kBinCpuFallback:
      settings.cpu_fallback = g_value_get_boolean(value);
      return SettingChange::nothing;
    case kBinKnowledge:
      settings.knowledge = text_of(value, "auto");
      return SettingChange::nothing;
    case kBinOverload:
      settings.overload = g_value_get_enum(value);
      return SettingChange::nothing;
    case kBinMaxLateness:
      settings.max_lateness_ns = g_value_get_int64(value);
      return SettingChange::nothing;
    default:
      g_assert_not_reached();
  }
}

void get_bin_setting(const BinSettings& settings, guint id, GValue* value) {
  switch (id) {
    case kBinMapping:
      return g_value_set_string(value, settings.mapping.c_str());
    case kBinGranularity:
      return g_value_set_enum(value, settings.granularity);
    case kBinThreads:
      return g_value_set_int(value, settings.threads);
    case kBinLanes:
      return g_value_set_int(value, settings.lanes);
    case kBinTasks:
      return g_value_set_int(value, settings.tasks);
    case kBinSplit:
      return g_value_set_string(value, settings.split.c_str());
    case kBinCores:
      return g_value_set_int(value, settings.cores);
    case kBinOpenclDevice:
      return g_value_set_string(value, settings.opencl_device.c_str());
    case kBinStages:
      return g_value_set_string(value, settings.stages.c_str());
    case kBinKeepTensors:
      return g_value_set_boolean(value, settings.keep_tensors);
    case kBinMetric:
      return g_value_set_enum(value, static_cast<int>(settings.objective.metric));
    case kBinTargetFps:
      return g_value_set_double(value, settings.objective.target_fps);
    case kBinPowerBudget:
      return g_value_set_double(value, settings.objective.power_budget_w);
    case kBinTargetLatency:
      return g_value_set_double(value, 1e3 * settings.objective.target_latency_s);
    case kBinMaxOverhead:
      return g_value_set_double(value, settings.max_overhead);
    case kBinAdapt:
      return g_value_set_enum(value, settings.adapt);
    case kBinEnergySource:
      return g_value_set_string(value, settings.energy_source.c_str());
    case kBinTdp:
      return g_value_set_double(value, settings.tdp_w);
    case kBinCpuFallback:
      return g_value_set_boolean(value, settings.cpu_fallback);
    case kBinKnowledge:
      return g_value_set_string(value, settings.knowledge.c_str());
    case kBinOverload:
      return g_value_set_enum(value, settings.overload);
    case kBinMaxLateness:
      return g_value_set_int64(value, settings.max_lateness_ns);
    default:
      g_assert_not_reached();
  }
}

}  // namespace tandem
