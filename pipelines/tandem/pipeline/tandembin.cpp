// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/tandembin.h"

#include <glib-object.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/bus_messages.h"
#include "pipelines/tandem/pipeline/package_advice.h"
#include "pipelines/tandem/pipeline/pads.h"

namespace tandem {
namespace {

/// Returns the range of a property, such as "0..8" or "true or false". Empty: its type has none.
std::string range_text(const GParamSpec* spec) {
  const auto text = [](double value) {
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    return std::string(g_ascii_formatd(digits, sizeof digits, "%.10g", value));
  };
  const auto range = [&](auto* bounds) {
    return text(static_cast<double>(bounds->minimum)) + ".." +
           text(static_cast<double>(bounds->maximum));
  };
  if (G_IS_PARAM_SPEC_INT(spec)) return range(G_PARAM_SPEC_INT(spec));
  if (G_IS_PARAM_SPEC_UINT(spec)) return range(G_PARAM_SPEC_UINT(spec));
  if (G_IS_PARAM_SPEC_UINT64(spec)) return range(G_PARAM_SPEC_UINT64(spec));
  if (G_IS_PARAM_SPEC_DOUBLE(spec)) return range(G_PARAM_SPEC_DOUBLE(spec));
  return G_IS_PARAM_SPEC_BOOLEAN(spec) ? "true or false" : "";
}

uint64_t read_uint64(const GstStructure* structure, const char* field) {
  guint64 value = 0;
  gst_structure_get_uint64(structure, field, &value);
  return value;
}

template <typename Visit>
int for_each_child(GstElement* bin, Visit visit) {
  int count = 0;
  GList* children = GST_BIN_CHILDREN(bin);
  for (GList* child = children; child; child = child->next, ++count) {
    visit(GST_ELEMENT(child->data));
  }
  return count;
}

// Returns how many stages there are. A bus of its own, because the bin says there what is wrong.
int fill(GstElement* bin, const std::string& stages) {
  const ObjectRef<GstBus> bus(gst_bus_new());
  gst_element_set_bus(bin, bus.get());
  set_property(bin, "--stages", "stages", stages);
  gst_element_set_bus(bin, nullptr);
  const MessageRef message(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR));
  if (!message) return for_each_child(bin, [](GstElement*) {});
  throw UsageError(std::string("--stages: ") + MessageError(message.get()).error->message);
}

// "; these are: off, caps, drift, both" for an enumeration.
std::string possible_values(const GParamSpec* spec) {
  if (!G_IS_PARAM_SPEC_ENUM(spec)) return "";
  const GEnumClass* values = G_PARAM_SPEC_ENUM(spec)->enum_class;
  std::string list;
  for (guint i = 0; i < values->n_values; ++i)
    list += (i == 0 ? "; these are: " : ", ") + std::string(values->values[i].value_nick);
  return list;
}

}  // namespace

GstElement* make_element(const char* factory, const char* name) {
  if (GstElement* element = gst_element_factory_make(factory, name)) return element;
  throw Failure("the GStreamer element '" + std::string(factory) + "' is missing",
                advice_for_element(factory));
}

bool is_filesrc(GstElement* element) {
  GstElementFactory* factory = gst_element_get_factory(element);
  return factory && std::string_view(GST_OBJECT_NAME(factory)) == "filesrc";
}

std::string to_text(double value) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_dtostr(text, sizeof text, value);
}

void set_property(gpointer object, const char* option, const char* property,
                  const std::string& text) {
  GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(object), property);
  if (!spec) {
    throw Failure("this " + std::string(G_OBJECT_TYPE_NAME(object)) + " has no property '" +
                  property + "' for " + option);
  }
  GValue value = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  const bool read = gst_value_deserialize_with_pspec(&value, text.c_str(), spec);
  const bool in_range = read && !g_param_value_validate(spec, &value);
  if (in_range) g_object_set_property(G_OBJECT(object), property, &value);
  g_value_unset(&value);
  if (!read) {
    throw UsageError(std::string(option) + ": '" + text + "' is not a valid value" +
                     possible_values(spec));
  }
  if (!in_range)
    throw UsageError(std::string(option) + ": " + text + " is out of range: " + range_text(spec));
}

void set_stage_property(GstElement* bin, const char* option, const char* property,
                        const std::string& value) {
  int having = 0;
  for_each_child(bin, [&](GstElement* stage) {
    if (!g_object_class_find_property(G_OBJECT_GET_CLASS(stage), property)) return;
    set_property(stage, option, property, value);
    ++having;
  });
  if (having == 0) throw UsageError(std::string(option) + ": no stage has this property");
}

std::optional<int> stage_number(GstElement* bin, const char* property) {
  std::optional<int> number;
  for_each_child(bin, [&](GstElement* stage) {
    const GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(stage), property);
    if (number || !spec || spec->value_type != G_TYPE_INT) return;
    g_object_get(stage, property, &number.emplace(), nullptr);
  });
  return number;
}

GstElement* make_tandembin(const BinSettings& settings) {
  ObjectRef<GstElement> bin(GST_ELEMENT(gst_object_ref_sink(make_element("tandembin", "tandem"))));
  if (settings.device != "" && settings.device != "auto" && settings.device != "cpu" &&
      settings.device != "opencl") {
    throw UsageError("--device: '" + settings.device + "' is none of auto, cpu and opencl");
  }
  if (!settings.device.empty() && !settings.mapping.empty()) {
    throw UsageError("--device and --mapping exclude each other; use one of them");
  }
  const int stages = fill(bin.get(), settings.stages);

  std::string mapping = settings.mapping;
  if (settings.device == "cpu") mapping.assign(stages, 'c');
  if (settings.device == "opencl") mapping.assign(stages, 'g');
  const auto set = [&](const char* option, const char* property, const std::string& value) {
    if (!value.empty()) set_property(bin.get(), option, property, value);
  };
  const auto number = [](const std::optional<int>& value) {
    return value ? std::to_string(*value) : "";
  };
  const auto real = [](const std::optional<double>& value) { return value ? to_text(*value) : ""; };
  set("--cores", "cores", number(settings.cores));
  set("--opencl-device", "opencl-device", settings.opencl_device);
  set(settings.device.empty() ? "--mapping" : "--device", "mapping", mapping);
  set("--granularity", "granularity", settings.granularity);
  set("--threads", "threads", number(settings.threads));
  set("--lanes", "lanes", number(settings.lanes));
  set("--split", "split", settings.split);
  set("--metric", "metric", settings.metric);
  set("--adapt", "adapt", settings.adapt);
  set("--energy-source", "energy-source", settings.energy_source);
  set("--knowledge", "knowledge", settings.knowledge);
  set("--target-fps", "target-fps", real(settings.target_fps));
  set("--power-budget", "power-budget", real(settings.power_budget));
  set("--target-latency", "target-latency", real(settings.target_latency));
  set("--max-overhead", "max-overhead", real(settings.max_overhead));

  const auto set_stages = [&](const char* option, const char* property, const std::string& value) {
    if (!value.empty()) set_stage_property(bin.get(), option, property, value);
  };
  set_stages("--scales", "scales", number(settings.scales));
  set_stages("--first-scale", "first-scale", real(settings.first_scale));
  set_stages("--iterations", "iterations", number(settings.iterations));
  set_stages("--threshold", "threshold", real(settings.threshold));
  set_stages("--model", "model", settings.model);

  g_object_force_floating(G_OBJECT(bin.get()));
  return bin.release();
}

void before_stage_caps(GstElement* bin, const char* property, std::function<void()> change) {
  for_each_child(bin, [&](GstElement* stage) {
    if (!g_object_class_find_property(G_OBJECT_GET_CLASS(stage), property)) return;
    const ObjectRef<GstPad> sink(gst_element_get_static_pad(stage, "sink"));
    add_probe(sink.get(), kEvents, [change](GstPad*, GstPadProbeInfo* info) {
      if (caps_in(info)) change();
      return GST_PAD_PROBE_OK;
    });
  });
}

BinStats read_stats(GstElement* bin) {
  BinStats stats;
  GstStructure* structure = nullptr;
  g_object_get(bin, "stats", &structure, nullptr);
  if (!structure) return stats;
  stats.frames = read_uint64(structure, "frames");
  stats.on_cpu = read_uint64(structure, "frames-cpu");
  gst_structure_get_int(structure, "cores", &stats.cores);
  stats.configuration = read_string(structure, "configuration");
  stats.measured_energy_j = read_double(structure, "measured-energy");
  stats.latency_p95_ms = read_double(structure, "latency-p95");
  stats.predicted = {read_double(structure, "predicted-fps"),
                     read_double(structure, "predicted-energy"),
                     read_double(structure, "predicted-latency")};
  stats.training = read_flag(structure, "training");
  gst_structure_get_int(structure, "experiment", &stats.experiment);
  gst_structure_get_int(structure, "trial", &stats.trial);
  gst_structure_get_int(structure, "trainings", &stats.trainings);
  gst_structure_get_int(structure, "training-experiments", &stats.training_experiments);
  gst_structure_get_int(structure, "training-frames", &stats.training_frames);
  stats.training_s = read_double(structure, "training-seconds").value_or(0);
  stats.energy_source = read_string(structure, "energy-source");
  for (const GstStructure* stage : read_structures(structure, "stages")) {
    stats.stages.push_back({read_string(stage, "name"), read_uint64(stage, "cpu-frames"),
                            read_uint64(stage, "device-frames"), read_uint64(stage, "cpu-ns"),
                            read_uint64(stage, "device-ns"), read_flag(stage, "can-split")});
  }
  gst_structure_free(structure);
  return stats;
}

std::map<std::string, Performance> read_predictions(GstElement* bin) {
  std::map<std::string, Performance> all;
  GstStructure* structure = nullptr;
  g_object_get(bin, "predictions", &structure, nullptr);
  if (!structure) return all;
  for (const GstStructure* one : read_structures(structure, "configurations")) {
    all[read_string(one, "configuration")] = {read_double(one, "fps"), read_double(one, "energy"),
                                              read_double(one, "latency")};
  }
  gst_structure_free(structure);
  return all;
}

std::optional<double> read_double(const GstStructure* structure, const char* field) {
  double value = 0;
  if (!gst_structure_get_double(structure, field, &value)) return std::nullopt;
  return value;
}

std::string read_string(const GstStructure* structure, const char* field) {
  const gchar* value = gst_structure_get_string(structure, field);
  return value ? value : "";
}

bool read_flag(const GstStructure* structure, const char* field) {
  gboolean value = FALSE;
  return gst_structure_get_boolean(structure, field, &value) && value;
}

std::vector<const GstStructure*> read_structures(const GstStructure* structure, const char* field) {
  std::vector<const GstStructure*> all;
  const GValue* list = gst_structure_get_value(structure, field);
  const guint count = list && GST_VALUE_HOLDS_ARRAY(list) ? gst_value_array_get_size(list) : 0;
  for (guint i = 0; i < count; ++i)
    all.push_back(gst_value_get_structure(gst_value_array_get_value(list, i)));
  return all;
}

BinStats operator-(const BinStats& later, const BinStats& earlier) {
  BinStats difference = later;
  difference.frames -= earlier.frames;
  difference.on_cpu -= earlier.on_cpu;
  const std::size_t stages = std::min(later.stages.size(), earlier.stages.size());
  for (std::size_t i = 0; i < stages; ++i) {
    StageCount& stage = difference.stages[i];
    stage.cpu_frames -= earlier.stages[i].cpu_frames;
    stage.device_frames -= earlier.stages[i].device_frames;
    stage.cpu_ns -= earlier.stages[i].cpu_ns;
    stage.device_ns -= earlier.stages[i].device_ns;
  }
  return difference;
}

}  // namespace tandem
