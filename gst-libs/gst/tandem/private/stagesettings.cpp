// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/description.h>
#include <gst/tandem/private/ref.h>
#include <gst/tandem/private/stagedescription.h>
#include <gst/tandem/private/stagesettings.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tandem {
namespace {

using Children = std::vector<ObjectRef<GObject>>;

// Objects whose properties are settings too. Pads are none of them.
Children children_of(GstTandemStage* stage) {
  Children children;
  if (!GST_IS_CHILD_PROXY(stage)) return children;
  GstChildProxy* const proxy = GST_CHILD_PROXY(stage);
  const guint count = gst_child_proxy_get_children_count(proxy);
  for (guint i = 0; i < count; ++i) {
    ObjectRef<GObject> child(gst_child_proxy_get_child_by_index(proxy, i));
    if (child && !GST_IS_PAD(child.get())) children.push_back(std::move(child));
  }
  return children;
}

// The readable properties of the classes below `base`.
void add_properties(GObject* object, GType base, GstStructure* values) {
  guint count = 0;
  GParamSpec** all = g_object_class_list_properties(G_OBJECT_GET_CLASS(object), &count);
  for (guint i = 0; i < count; ++i) {
    const GParamSpec* spec = all[i];
    const bool own = spec->owner_type != base && g_type_is_a(spec->owner_type, base);
    if (!own || (spec->flags & G_PARAM_READABLE) == 0) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    g_object_get_property(object, spec->name, &value);
    gst_structure_take_value(values, spec->name, &value);
  }
  g_free(all);
}

StructureRef read_values_of(GstTandemStage* stage, const Children& children) {
  StructureRef values(gst_structure_new_empty("settings"));
  add_properties(G_OBJECT(stage), GST_TYPE_TANDEM_STAGE, values.get());
  for (const auto& child : children) add_properties(child.get(), GST_TYPE_OBJECT, values.get());
  if (const auto add = GST_TANDEM_STAGE_GET_CLASS(stage)->add_settings) add(stage, values.get());
  return values;
}

bool keeps_work(GstTandemStage* stage, const Children& children, const char* name) {
  const GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(stage), name);
  for (const auto& child : children)
    if (!spec) spec = g_object_class_find_property(G_OBJECT_GET_CLASS(child.get()), name);
  return spec && (spec->flags & GST_TANDEM_PARAM_KEEPS_WORK) != 0;
}

// All properties that differ differ in the text.
std::string text_of(const GstStructure* values, const char* name) {
  const GValue* value = gst_structure_get_value(values, name);
  gchar* text = gst_value_serialize(value);
  if (!text) text = g_strdup_value_contents(value);
  const std::string made = std::string(" ") + name + "=" + text;
  g_free(text);
  return made;
}

}  // namespace

StructureRef read_values(GstTandemStage* stage) {
  return read_values_of(stage, children_of(stage));
}

std::shared_ptr<const StageSettings> read_settings(GstTandemStage* stage) {
  auto read = std::make_shared<StageSettings>();
  const Children children = children_of(stage);
  read->values = read_values_of(stage, children);
  read->all = read->work = element_name(stage);
  for (int i = 0; i < gst_structure_n_fields(read->values.get()); ++i) {
    const char* name = gst_structure_nth_field_name(read->values.get(), static_cast<guint>(i));
    const std::string text = text_of(read->values.get(), name);
    read->all += text;
    if (!keeps_work(stage, children, name)) read->work += text;
  }
  read->interval = interval_of(stage);
  if (read->interval > 1) {
    const std::string text = " interval=" + std::to_string(read->interval);
    read->all += text;
    read->work += text;
  }
  if (const auto rounds = GST_TANDEM_STAGE_GET_CLASS(stage)->get_rounds)
    read->rounds = std::max(1, rounds(stage, read->values.get()));
  return read;
}

}  // namespace tandem
