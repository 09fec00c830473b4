// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tools/reference/elements.h"

#include <gst/base/gstbasesink.h>
#include <gst/base/gstbasetransform.h>
#include <gst/tandem/private/description.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/gstvideofilter.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

namespace tandem::reference {
namespace {

using Json = nlohmann::ordered_json;

struct FreeText {
  void operator()(char* text) const { g_free(text); }
};
std::string take(char* text) {
  const std::unique_ptr<char, FreeText> owned(text);
  return owned ? owned.get() : "";
}

bool is_inherited(GType owner) {
  const std::array bases = {GST_TYPE_BIN, GST_TYPE_BASE_TRANSFORM, GST_TYPE_BASE_SINK,
                            GST_TYPE_VIDEO_FILTER};
  return std::ranges::any_of(bases, [&](GType base) { return g_type_is_a(base, owner); });
}

std::string text_of(const GValue* value) {
  if (G_VALUE_HOLDS_STRING(value)) {
    const gchar* text = g_value_get_string(value);
    return text ? text : "";
  }
  // A structure: what there is of it is made when somebody asks.
  if (G_VALUE_HOLDS_BOXED(value)) return "";
  return take(gst_value_serialize(value));
}

// "int" for gint, "GstStructure" for itself.
std::string type_name(GType type) {
  if (g_type_is_a(type, G_TYPE_ENUM)) return "enum";
  const std::string name = g_type_name(type);
  static const std::pair<const char*, const char*> names[] = {
      {"gboolean", "boolean"}, {"gint", "int"},         {"guint", "uint"},
      {"gint64", "int64"},     {"guint64", "uint64"},   {"gdouble", "double"},
      {"gfloat", "float"},     {"gchararray", "string"}};
  const auto* found = std::ranges::find(names, name, &std::pair<const char*, const char*>::first);
  return found == std::end(names) ? name : found->second;
}

template <typename Spec>
Json limits(const Spec* spec) {
  return {spec->minimum, spec->maximum};
}

// Least and most of a number; null where the type has none.
Json range_of(const GParamSpec* spec) {
  if (G_IS_PARAM_SPEC_INT(spec)) return limits(G_PARAM_SPEC_INT(spec));
  if (G_IS_PARAM_SPEC_UINT(spec)) return limits(G_PARAM_SPEC_UINT(spec));
  if (G_IS_PARAM_SPEC_INT64(spec)) return limits(G_PARAM_SPEC_INT64(spec));
  if (G_IS_PARAM_SPEC_UINT64(spec)) return limits(G_PARAM_SPEC_UINT64(spec));
  if (G_IS_PARAM_SPEC_DOUBLE(spec)) return limits(G_PARAM_SPEC_DOUBLE(spec));
  if (G_IS_PARAM_SPEC_FLOAT(spec)) return limits(G_PARAM_SPEC_FLOAT(spec));
  return nullptr;
}

Json values_of(GType type) {
  Json values = Json::array();
  auto* enumeration = static_cast<GEnumClass*>(g_type_class_ref(type));
  for (guint i = 0; i < enumeration->n_values; ++i) {
    values.push_back({{"name", enumeration->values[i].value_nick},
                      {"meaning", enumeration->values[i].value_name}});
  }
  g_type_class_unref(enumeration);
  return values;
}

const char* changes_in(const GParamSpec* spec) {
  if (!(spec->flags & G_PARAM_WRITABLE)) return "read-only";
  if (spec->flags & G_PARAM_CONSTRUCT_ONLY) return "construction";
  if (spec->flags & GST_PARAM_MUTABLE_PLAYING) return "playing";
  if (spec->flags & GST_PARAM_MUTABLE_PAUSED) return "paused";
  return "ready";
}

Json describe_property(GstElement* element, GParamSpec* spec) {
  Json property = {
      {"name", spec->name},          {"type", type_name(spec->value_type)},
      {"range", range_of(spec)},     {"default", text_of(g_param_spec_get_default_value(spec))},
      {"changes", changes_in(spec)}, {"meaning", g_param_spec_get_blurb(spec)}};
  if (g_type_is_a(spec->value_type, G_TYPE_ENUM)) property["values"] = values_of(spec->value_type);
  if (spec->value_type == GST_TYPE_STRUCTURE) {
    GstStructure* structure = nullptr;
    g_object_get(element, spec->name, &structure, nullptr);
    if (structure) property["fields"] = describe_structure(structure);
    g_clear_pointer(&structure, gst_structure_free);
  }
  return property;
}

Json describe_properties(GstElement* element) {
  Json properties = Json::array();
  guint count = 0;
  GParamSpec** specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  for (guint i = 0; i < count; ++i) {
    if (!is_inherited(specs[i]->owner_type))
      properties.push_back(describe_property(element, specs[i]));
  }
  g_free(specs);
  return properties;
}

Json describe_signals(GType type) {
  Json found = Json::array();
  guint count = 0;
  guint* ids = g_signal_list_ids(type, &count);
  for (guint i = 0; i < count; ++i) {
    GSignalQuery signal;
    g_signal_query(ids[i], &signal);
    Json parameters = Json::array();
    for (guint k = 0; k < signal.n_params; ++k)
      parameters.push_back(type_name(signal.param_types[k] & ~G_SIGNAL_TYPE_STATIC_SCOPE));
    found.push_back({{"name", signal.signal_name},
                     {"action", (signal.signal_flags & G_SIGNAL_ACTION) != 0},
                     {"parameters", parameters},
                     {"returns", type_name(signal.return_type & ~G_SIGNAL_TYPE_STATIC_SCOPE)}});
  }
  g_free(ids);
  return found;
}

Json describe_pads(GstElementFactory* factory) {
  Json pads = Json::array();
  for (const GList* l = gst_element_factory_get_static_pad_templates(factory); l; l = l->next) {
    auto* pad = static_cast<GstStaticPadTemplate*>(l->data);
    GstCaps* caps = gst_static_caps_get(&pad->static_caps);
    pads.push_back({{"name", pad->name_template},
                    {"direction", pad->direction == GST_PAD_SINK ? "sink" : "src"},
                    {"caps", take(gst_caps_to_string(caps))}});
    gst_caps_unref(caps);
  }
  return pads;
}

// What tandembin knows of a stage. Null: the element is none.
Json describe_stage(GstElement* element) {
  const GType stage = g_type_from_name("GstTandemStage");
  if (!stage || !g_type_is_a(G_OBJECT_TYPE(element), stage)) return nullptr;
  const StageDescription description = describe_now(reinterpret_cast<GstTandemStage*>(element));
  Json reads = Json::array();
  for (const StageDescription::Input& input : description.inputs)
    reads.push_back({{"tensor", input.tensor.text()}, {"from", input.producer}});
  return {{"reads", reads},
          {"opencl", description.has_opencl},
          {"serial", description.serial},
          {"changes-pixels", description.changes_pixels},
          {"previous-frame", description.needs_previous}};
}

}  // namespace

std::vector<std::string> element_names(GstPlugin* plugin) {
  std::vector<std::string> names;
  GList* features =
      gst_registry_get_feature_list_by_plugin(gst_registry_get(), gst_plugin_get_name(plugin));
  for (const GList* l = features; l; l = l->next) {
    if (GST_IS_ELEMENT_FACTORY(l->data)) names.emplace_back(GST_OBJECT_NAME(l->data));
  }
  gst_plugin_feature_list_free(features);
  std::ranges::sort(names);
  return names;
}

Json describe_structure(const GstStructure* structure) {
  Json fields = Json::array();
  for (int i = 0; i < gst_structure_n_fields(structure); ++i) {
    const char* name = gst_structure_nth_field_name(structure, static_cast<guint>(i));
    const GValue* value = gst_structure_get_value(structure, name);
    const bool array = GST_VALUE_HOLDS_ARRAY(value);
    fields.push_back(
        {{"name", name}, {"type", array ? "array of structures" : type_name(G_VALUE_TYPE(value))}});
    if (!array || gst_value_array_get_size(value) == 0) continue;
    const GstStructure* first = gst_value_get_structure(gst_value_array_get_value(value, 0));
    for (Json field : describe_structure(first)) {
      field["name"] = std::string(name) + "." + field["name"].get<std::string>();
      fields.push_back(field);
    }
  }
  return fields;
}

Json describe_element(const std::string& name) {
  const ObjectRef<GstElement> element(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make(name.c_str(), nullptr))));
  if (!element) throw std::runtime_error("there is no element " + name);
  GstElementFactory* factory = gst_element_get_factory(element.get());
  const auto metadata = [&](const char* key) {
    return gst_element_factory_get_metadata(factory, key);
  };
  return {{"name", name},
          {"title", metadata(GST_ELEMENT_METADATA_LONGNAME)},
          {"klass", metadata(GST_ELEMENT_METADATA_KLASS)},
          {"description", metadata(GST_ELEMENT_METADATA_DESCRIPTION)},
          {"pads", describe_pads(factory)},
          {"stage", describe_stage(element.get())},
          {"properties", describe_properties(element.get())},
          {"signals", describe_signals(G_OBJECT_TYPE(element.get()))}};
}

}  // namespace tandem::reference
