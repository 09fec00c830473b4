// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/energycontext.h"

#include "gst/util/ref.h"

namespace tandem {
namespace {

using Shared = std::shared_ptr<EnergyMeter>;

GType shared_meter_type() {
  static const GType type = g_boxed_type_register_static(
      "TandemEnergyMeter",
      [](gpointer p) -> gpointer { return new Shared(*static_cast<Shared*>(p)); },
      [](gpointer p) { delete static_cast<Shared*>(p); });
  return type;
}

Shared meter_of(GstElement* element) {
  const ContextRef context(gst_element_get_context(element, GST_TANDEM_ENERGY_METER_CONTEXT_TYPE));
  if (!context) return nullptr;
  const GValue* value =
      gst_structure_get_value(gst_context_get_structure(context.get()), "tandem-meter");
  if (!value || !G_VALUE_HOLDS(value, shared_meter_type())) return nullptr;
  return *static_cast<Shared*>(g_value_get_boxed(value));
}

}  // namespace

GstContext* energy_meter_context(Shared meter) {
  GstContext* made = gst_context_new(GST_TANDEM_ENERGY_METER_CONTEXT_TYPE, TRUE);
  gst_structure_set(gst_context_writable_structure(made), "tandem-meter", shared_meter_type(),
                    &meter, nullptr);
  return made;
}

Shared find_energy_meter(GstElement* element) {
  if (Shared mine = meter_of(element)) return mine;
  gst_element_post_message(
      element,
      gst_message_new_need_context(GST_OBJECT_CAST(element), GST_TANDEM_ENERGY_METER_CONTEXT_TYPE));
  return meter_of(element);
}

}  // namespace tandem
