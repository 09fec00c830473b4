// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/binsettings.h"

#include <stdexcept>

namespace tandem {
namespace {

GType granularity_get_type() {
  static const GEnumValue values[] = {
      {BinSettings::kAuto, "Chosen by the bin", "auto"},
      {BinSettings::kCoarse, "Coarse: one frame a core, several frames at a time", "cg"},
      {BinSettings::kMedium, "Medium: one frame over all cores", "mg"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemGranularity", values);
  return type;
}

std::string text_of(const GValue* value, const char* otherwise) {
  const gchar* text = g_value_get_string(value);
  return text && *text ? text : otherwise;
}

}  // namespace

void install_bin_properties(GObjectClass* klass) {
  const auto flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  const auto playing = static_cast<GParamFlags>(flags | GST_PARAM_MUTABLE_PLAYING);
  const auto ready = static_cast<GParamFlags>(flags | GST_PARAM_MUTABLE_READY);
  const auto read_only = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property(
      klass, kBinMapping,
      g_param_spec_string("mapping", "Mapping",
                          "Where each stage may run, one letter a stage: g (OpenCL device) or c "
                          "(CPU), as in gcc; or auto",
                          "auto", playing));
  g_object_class_install_property(
      klass, kBinGranularity,
      g_param_spec_enum("granularity", "Granularity", "How the CPU's cores share the work",
                        granularity_get_type(), BinSettings::kAuto, playing));
  g_object_class_install_property(
      klass, kBinThreads,
      g_param_spec_int("threads", "Threads",
                       "Frames that coarse grain computes at a time, 1 to cores + 1; 0: auto", 0,
                       1024, 0, playing));
  g_object_class_install_property(
      klass, kBinCores,
      g_param_spec_int("cores", "Cores",
                       "CPU cores to use; 0: the physical cores that this process may use", 0, 1023,
                       0, ready));
  g_object_class_install_property(
      klass, kBinOpenclDevice,
      g_param_spec_string("opencl-device", "OpenCL device",
                          "Which OpenCL device: auto (never a CPU), any, or a part of its name",
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
  g_object_class_install_property(
      klass, kBinConfiguration,
      g_param_spec_string("configuration", "Configuration",
                          "What runs now: mapping/granularity and threads, as in gcc/cg3", "",
                          read_only));
  g_object_class_install_property(
      klass, kBinStats,
      g_param_spec_boxed("stats", "Statistics",
                         "configuration, cores, frames, frames-cpu, frames-device, frames-mixed, "
                         "device-failures, in-flight, opencl-device, tensors-made, "
                         "opencl-buffers-made, opencl-programs-made, opencl-objects-made, and for "
                         "each of stages: name, "
                         "cpu-frames, device-frames, cpu-ns, device-ns",
                         GST_TYPE_STRUCTURE, read_only));
}

bool set_bin_setting(BinSettings& settings, guint id, const GValue* value) {
  switch (id) {
    case kBinMapping:
      settings.mapping = text_of(value, "auto");
      return true;
    case kBinGranularity:
      settings.granularity = g_value_get_enum(value);
      return true;
    case kBinThreads:
      settings.threads = g_value_get_int(value);
      return true;
    case kBinCores:
      settings.cores = g_value_get_int(value);
      return false;
    case kBinOpenclDevice:
      settings.opencl_device = text_of(value, "auto");
      return false;
    case kBinStages:
      settings.stages = text_of(value, "");
      return false;
    case kBinKeepTensors:
      settings.keep_tensors = g_value_get_boolean(value);
      return false;
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
    case kBinCores:
      return g_value_set_int(value, settings.cores);
    case kBinOpenclDevice:
      return g_value_set_string(value, settings.opencl_device.c_str());
    case kBinStages:
      return g_value_set_string(value, settings.stages.c_str());
    case kBinKeepTensors:
      return g_value_set_boolean(value, settings.keep_tensors);
    default:
      g_assert_not_reached();
  }
}

Configuration requested_configuration(const BinSettings& settings, int stages, int cores) {
  Configuration wanted{{0, stages}, Granularity::coarse, cores};
  if (settings.mapping != "auto") {
    const std::string problem = parse_mapping(settings.mapping, stages, wanted.mapping);
    if (!problem.empty()) throw std::runtime_error(problem);
  }
  if (settings.granularity == BinSettings::kMedium) wanted.granularity = Granularity::medium;
  if (settings.threads > cores + 1) {
    throw std::runtime_error("threads=" + std::to_string(settings.threads) +
                             " is out of range: 1 to " + std::to_string(cores + 1) +
                             " (cores + 1), or 0 for auto");
  }
  // The thread that waits for the device needs no core.
  wanted.threads =
      settings.threads > 0 ? settings.threads : cores + (wanted.mapping.any_device() ? 1 : 0);
  return wanted;
}

}  // namespace tandem
