// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/appcontexts.h"

#include <gst/tandem/private/ref.h>

namespace tandem::bin {
namespace {

// A GstContext that carries a shared pointer. `boxed_name` is that of its GType.
template <class T, const char* boxed_name>
class SharedContext {
 public:
  using Shared = std::shared_ptr<T>;

  static GstContext* make(const char* context_type, const Shared& shared) {
    GstContext* made = gst_context_new(context_type, TRUE);
    gst_structure_set(gst_context_writable_structure(made), kField, boxed(), &shared, nullptr);
    return made;
  }

  // Returns the pointer that the element was given; null: none.
  static Shared of(GstElement* element, const char* context_type) {
    const ContextRef context(gst_element_get_context(element, context_type));
    if (!context) return nullptr;
    const GValue* value = gst_structure_get_value(gst_context_get_structure(context.get()), kField);
    if (!value || !G_VALUE_HOLDS(value, boxed())) return nullptr;
    return *static_cast<Shared*>(g_value_get_boxed(value));
  }

 private:
  static constexpr char kField[] = "tandem-shared";

  static GType boxed() {
    static const GType type = g_boxed_type_register_static(
        boxed_name, [](gpointer p) -> gpointer { return new Shared(*static_cast<Shared*>(p)); },
        [](gpointer p) { delete static_cast<Shared*>(p); });
    return type;
  }
};

constexpr char kMeterName[] = "TandemEnergyMeter";
using MeterContext = SharedContext<EnergyMeter, kMeterName>;
constexpr const char* kMeterType = GST_TANDEM_ENERGY_METER_CONTEXT_TYPE;

constexpr char kNeighbourhoodName[] = "TandemNeighbourhood";
using NeighbourhoodContext = SharedContext<Neighbourhood, kNeighbourhoodName>;
constexpr const char* kNeighbourhoodType = GST_TANDEM_NEIGHBOURHOOD_CONTEXT_TYPE;

}  // namespace

GstContext* energy_meter_context(std::shared_ptr<EnergyMeter> meter) {
  return MeterContext::make(kMeterType, meter);
}

std::shared_ptr<EnergyMeter> find_energy_meter(GstElement* element) {
  if (auto mine = MeterContext::of(element, kMeterType)) return mine;
  gst_element_post_message(element,
                           gst_message_new_need_context(GST_OBJECT_CAST(element), kMeterType));
  return MeterContext::of(element, kMeterType);
}

GstContext* neighbourhood_context(std::shared_ptr<Neighbourhood> neighbourhood) {
  return NeighbourhoodContext::make(kNeighbourhoodType, neighbourhood);
}

std::shared_ptr<Neighbourhood> find_neighbourhood(GstElement* element) {
  if (auto mine = NeighbourhoodContext::of(element, kNeighbourhoodType)) return mine;
  return Neighbourhood::of_process();
}

}  // namespace tandem::bin
