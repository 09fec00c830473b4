// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/binwork.h"

namespace tandem {
namespace {

// Names a stage's kind and its properties, except those of the stream and the device.
std::string work_of(GstTandemStage* stage) {
  std::string text = G_OBJECT_TYPE_NAME(stage);
  guint count = 0;
  GParamSpec** properties = g_object_class_list_properties(G_OBJECT_GET_CLASS(stage), &count);
  for (guint i = 0; i < count; ++i) {
    const GParamSpec* property = properties[i];
    const bool of_stage = property->owner_type != GST_TYPE_TANDEM_STAGE &&
                          g_type_is_a(property->owner_type, GST_TYPE_TANDEM_STAGE);
    if (!of_stage || (property->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE) continue;
    GValue value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(stage), property->name, &value);
    gchar* contents = g_strdup_value_contents(&value);
    text += " " + std::string(property->name) + "=" + contents;
    g_free(contents);
    g_value_unset(&value);
  }
  g_free(properties);
  return text;
}

}  // namespace

std::string describe_work(const std::vector<ObjectRef<GstTandemStage>>& stages) {
  std::string text;
  for (const auto& stage : stages) text += (text.empty() ? "" : " ! ") + work_of(stage.get());
  return text;
}

}  // namespace tandem
