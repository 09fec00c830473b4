// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/energycontext.h"

#include "gst/bin/sharedcontext.h"

namespace tandem {
namespace {

constexpr char kBoxedName[] = "TandemEnergyMeter";
using MeterContext = SharedContext<EnergyMeter, kBoxedName>;
constexpr const char* kType = GST_TANDEM_ENERGY_METER_CONTEXT_TYPE;

}  // namespace

GstContext* energy_meter_context(std::shared_ptr<EnergyMeter> meter) {
  return MeterContext::make(kType, meter);
}

std::shared_ptr<EnergyMeter> find_energy_meter(GstElement* element) {
  if (auto mine = MeterContext::of(element, kType)) return mine;
  gst_element_post_message(element, gst_message_new_need_context(GST_OBJECT_CAST(element), kType));
  return MeterContext::of(element, kType);
}

}  // namespace tandem
