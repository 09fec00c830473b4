// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/kernelstage/stageclass.h"

#include <gst/tandem/stage.h>

#include <map>
#include <mutex>
#include <sstream>
#include <string>

namespace tandem {
namespace {

struct ClassData {
  std::vector<StageParameter> parameters;
  PropertyFunctions functions;
  GType element;
};

GParamSpec* param_spec(const StageParameter& p) {
  // How long a frame takes does not depend on parameters.
  const auto flags =
      static_cast<GParamFlags>(G_PARAM_READWRITE | GST_PARAM_CONTROLLABLE |
                               GST_PARAM_MUTABLE_PLAYING | GST_TANDEM_PARAM_KEEPS_WORK);
  const char* const name = p.name.c_str();
  const char* const blurb = p.blurb.c_str();
  switch (p.type) {
    case StageParameter::Type::kInt:
      return g_param_spec_int(name, name, blurb, static_cast<int>(p.least),
                              static_cast<int>(p.most), static_cast<int>(p.initial), flags);
    case StageParameter::Type::kFloat:
      return g_param_spec_double(name, name, blurb, p.least, p.most, p.initial, flags);
    default:
      return g_param_spec_boolean(name, name, blurb, p.initial != 0, flags);
  }
}

void init_class(gpointer klass, gpointer user_data) {
  const auto& data = *static_cast<const ClassData*>(user_data);
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = data.functions.set;
  object_class->get_property = data.functions.get;
  guint id = kFirstParameterProperty;
  for (const StageParameter& p : data.parameters)
    g_object_class_install_property(object_class, id++, param_spec(p));
  // GStreamer gives it to the class that was registered as an element alone.
  auto* const element = static_cast<GstElementClass*>(g_type_class_peek(data.element));
  GST_ELEMENT_CLASS(klass)->elementfactory = element->elementfactory;
}

std::string text_of(const std::vector<StageParameter>& parameters) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(17);
  for (const StageParameter& p : parameters)
    text << p.name << ' ' << static_cast<int>(p.type) << ' ' << p.initial << ' ' << p.least << ' '
         << p.most << ' ' << p.blurb << '\n';
  return text.str();
}

/// Names that are properties of the type string; they stay for as long as the process does.
struct Announced {
  std::mutex mutex;
  std::vector<std::string> names;
};

Announced& announced() {
  static auto& all = *new Announced;
  return all;
}

void (*location_read)(const char* location) = nullptr;

gboolean deserialize(GValue* value, const gchar* text) {
  g_value_set_string(value, text);
  location_read(text);
  return TRUE;
}

gchar* serialize(const GValue* value) {
  const gchar* const text = g_value_get_string(value);
  return g_strdup(text ? text : "");
}

gint compare(const GValue* a, const GValue* b) {
  return g_strcmp0(g_value_get_string(a), g_value_get_string(b)) == 0 ? GST_VALUE_EQUAL
                                                                      : GST_VALUE_UNORDERED;
}

void copy_text(const GValue* from, GValue* to) { g_value_set_string(to, g_value_get_string(from)); }

}  // namespace

GType stage_class_of(GType base, GType element, const std::vector<StageParameter>& parameters,
                     PropertyFunctions functions) {
  // Types stay for as long as the process does.
  static std::mutex mutex;
  static auto& types = *new std::map<std::string, GType>;
  const std::lock_guard lock(mutex);
  GType& type = types[text_of(parameters)];
  if (type != 0) return type;
  GTypeQuery query;
  g_type_query(base, &query);
  const std::string name =
      g_type_name(element) +
      (parameters.empty() ? std::string("WithoutParameters") : std::to_string(types.size()));
  const GTypeInfo info{static_cast<guint16>(query.class_size),
                       nullptr,
                       nullptr,
                       init_class,
                       nullptr,
                       new ClassData{parameters, functions, element},
                       static_cast<guint16>(query.instance_size),
                       0,
                       nullptr,
                       nullptr};
  type = g_type_register_static(base, name.c_str(), &info, static_cast<GTypeFlags>(0));
  return type;
}

void become(GObject* object, GType type) {
  // The class stays: it is what frees the instance in the end.
  auto* const klass = static_cast<GTypeClass*>(g_type_class_ref(type));
  g_atomic_pointer_set(&object->g_type_instance.g_class, klass);
}

void announce(GType element, const std::vector<StageParameter>& parameters) {
  Announced& all = announced();
  const std::lock_guard lock(all.mutex);
  auto* const klass = static_cast<GObjectClass*>(g_type_class_ref(element));
  for (const StageParameter& p : parameters) {
    if (g_object_class_find_property(klass, p.name.c_str())) continue;
    all.names.push_back(p.name);
    g_object_class_install_property(
        klass, kFirstParameterProperty + static_cast<guint>(all.names.size()) - 1,
        g_param_spec_string(p.name.c_str(), p.name.c_str(), "A parameter of the stage file",
                            nullptr, static_cast<GParamFlags>(G_PARAM_READWRITE)));
  }
  g_type_class_unref(klass);
}

std::string announced_name(guint id) {
  Announced& all = announced();
  const std::lock_guard lock(all.mutex);
  return all.names.at(id - kFirstParameterProperty);
}

GType stage_location_type(void (*read)(const char* location)) {
  static const GType type = [&] {
    location_read = read;
    const GTypeInfo info{};
    const GType made = g_type_register_static(G_TYPE_STRING, "GstTandemStageLocation", &info,
                                              static_cast<GTypeFlags>(0));
    static const GstValueTable table{made, compare, serialize, deserialize, nullptr, {}};
    gst_value_register(&table);
    g_value_register_transform_func(G_TYPE_STRING, made, copy_text);
    return made;
  }();
  return type;
}

}  // namespace tandem
