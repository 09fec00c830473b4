// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/kernelstage/stageparams.h"

#include <gst/tandem/stage.h>

#include <locale>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>

#include "kernels/stage_file/run/host_stage.h"

namespace tandem {
namespace {

using Parameters = std::vector<StageParameter>;

struct StageParamsClass {
  GstObjectClass parent;
  const Parameters* parameters;
};

struct StageParams {
  GstObject parent;
  std::vector<StageValue>* values;  // under the object lock; property i + 1 is the i-th
};

gpointer params_parent_class = nullptr;

std::vector<StageValue>& params_of(GObject* object) {
  return *reinterpret_cast<StageParams*>(object)->values;
}

void set_param(GObject* object, guint id, const GValue* value, GParamSpec*) {
  const ObjectLock lock(object);
  StageValue& mine = params_of(object).at(id - 1);
  if (G_VALUE_HOLDS_DOUBLE(value)) {
    mine.real = static_cast<float>(g_value_get_double(value));
  } else {
    mine.whole = G_VALUE_HOLDS_BOOLEAN(value) ? g_value_get_boolean(value) : g_value_get_int(value);
  }
}

void get_param(GObject* object, guint id, GValue* value, GParamSpec*) {
  const ObjectLock lock(object);
  const StageValue mine = params_of(object).at(id - 1);
  if (G_VALUE_HOLDS_DOUBLE(value)) {
    g_value_set_double(value, static_cast<double>(mine.real));
  } else if (G_VALUE_HOLDS_BOOLEAN(value)) {
    g_value_set_boolean(value, mine.whole != 0);
  } else {
    g_value_set_int(value, mine.whole);
  }
}

void init_params(GTypeInstance* instance, gpointer klass) {
  auto* const values = new std::vector<StageValue>;
  for (const StageParameter& p : *static_cast<StageParamsClass*>(klass)->parameters)
    values->push_back(initial_value(p));
  reinterpret_cast<StageParams*>(instance)->values = values;
}

void finalize_params(GObject* object) {
  delete &params_of(object);
  G_OBJECT_CLASS(params_parent_class)->finalize(object);
}

void init_params_base(gpointer klass, gpointer) {
  params_parent_class = g_type_class_peek_parent(klass);
  G_OBJECT_CLASS(klass)->finalize = finalize_params;
}

GType params_base_type() {
  static const GType type = g_type_register_static_simple(
      GST_TYPE_OBJECT, "GstTandemStageParams", sizeof(StageParamsClass), init_params_base,
      sizeof(StageParams), init_params, G_TYPE_FLAG_ABSTRACT);
  return type;
}

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

void init_params_class(gpointer klass, gpointer data) {
  const auto* const parameters = static_cast<const Parameters*>(data);
  static_cast<StageParamsClass*>(klass)->parameters = parameters;
  GObjectClass* const object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = set_param;  // GObject clears what the base class sets
  object_class->get_property = get_param;
  guint id = 0;
  for (const StageParameter& p : *parameters)
    g_object_class_install_property(object_class, ++id, param_spec(p));
}

std::string type_name_of(const Parameters& parameters) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(17);
  for (const StageParameter& p : parameters)
    text << p.name << ' ' << static_cast<int>(p.type) << ' ' << p.initial << ' ' << p.least << ' '
         << p.most << ' ' << p.blurb << '\n';
  gchar* const hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text.str().c_str(), -1);
  const std::string name = std::string("GstTandemStageParams-") + hash;
  g_free(hash);
  return name;
}

GType params_type(const Parameters& parameters) {
  static std::mutex mutex;
  static int sets = 0;
  const std::string name = type_name_of(parameters);
  const std::lock_guard lock(mutex);
  if (const GType known = g_type_from_name(name.c_str())) return known;
  if (sets == kMostParameterSets)
    throw std::runtime_error(
        "this process has loaded stage files with " + std::to_string(kMostParameterSets) +
        " different sets of parameters, which is the limit: restart the process");
  ++sets;
  const GTypeInfo info{sizeof(StageParamsClass),
                       nullptr,
                       nullptr,
                       init_params_class,
                       nullptr,
                       new Parameters(parameters),  // of the class, which stays
                       sizeof(StageParams),
                       0,
                       nullptr,
                       nullptr};
  return g_type_register_static(params_base_type(), name.c_str(), &info,
                                static_cast<GTypeFlags>(0));
}

}  // namespace

ObjectRef<GstObject> make_stage_params(const Parameters& parameters) {
  auto* const made = g_object_new(params_type(parameters), "name", "params", nullptr);
  return ObjectRef<GstObject>(GST_OBJECT_CAST(gst_object_ref_sink(made)));
}

}  // namespace tandem
