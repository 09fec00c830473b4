// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/binplan.h"

#include "gst/bin/bincontrol.h"
#include "gst/bin/energycontext.h"
#include "gst/bin/neighbourhoodcontext.h"
#include "gst/stage/stageadapter.h"
#include "scheduler/machine/cores.h"
#include "scheduler/machine/energy/combined.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem {
namespace {

// The device that was found; null: none.
const opencl::DeviceDescription* device_of(const BinPlan& plan) {
  return plan.device && plan.device->context ? &plan.device->context->device() : nullptr;
}

bool is_on_cores(const opencl::DeviceDescription* device) { return device && device->is_cpu; }

bool is_in_package(const opencl::DeviceDescription* device) {
  return device && device->is_gpu && device->unified_memory;
}

// Finds the energy source and says what it is missing.
void add_energy(GstElement* bin, const BinSettings& settings, BinPlan& plan) {
  // Under `auto` and with an objective that needs none, what is missing does not matter.
  plan.energy_asked_for = settings.energy_source != "auto" && settings.energy_source != "none";
  plan.meter = find_energy_meter(bin);
  if (plan.meter) return;
  EnergyContext context;
  context.cores = plan.chain.cores;
  const opencl::DeviceDescription* device = device_of(plan);
  if (device && !is_on_cores(device)) {
    context.device.name = device->name;
    context.device.count = plan.device->context->devices();
    context.device.in_package = is_in_package(device);
  }
  context.device_busy_s = [busy = plan.device_busy] { return busy->seconds(); };
  OpenedMeter opened = open_meter(settings.energy_source, context);
  plan.meter = std::move(opened.meter);
  plan.missing_energy = opened.missing;
  GST_INFO_OBJECT(bin, "energy: %s %s",
                  plan.meter ? plan.meter->description().coverage.c_str() : "none",
                  plan.missing_energy.c_str());
  if (plan.energy_asked_for && !plan.meter) {
    GST_ELEMENT_WARNING(bin, RESOURCE, NOT_FOUND,
                        ("energy-source=%s gives no energy: %s.", settings.energy_source.c_str(),
                         plan.missing_energy.c_str()),
                        ("`tandem doctor` tells how to get an energy source"));
  }
}

Chain chain_of(const std::vector<GstTandemStage*>& stages, const BinSettings& settings) {
  Chain chain;
  chain.cores = settings.cores > 0 ? settings.cores : usable_physical_cores();
  chain.tdp_w = settings.tdp_w;
  chain.stages = static_cast<int>(stages.size());
  for (int k = 0; k < chain.stages; ++k) {
    StageAdapter& stage = adapter_of(stages[k]);
    stage.describe();
    chain.serial_stages |= stage.serial() ? 1u << k : 0;
    chain.device_only |= stage.has_cpu() ? 0 : 1u << k;
    chain.bands |= stage.has_bands() ? 1u << k : 0;
    chain.can_split |= stage.description().whole.empty() ? 1u << k : 0;
  }
  return chain;
}

// A serial stage's work for the device is another one than that for the cores alone, and may hold
// what the stage keeps from frame to frame.
bool keeps_state_of_device(const std::vector<GstTandemStage*>& stages) {
  return std::ranges::any_of(stages, [](GstTandemStage* stage) {
    const StageDescription& description = adapter_of(stage).description();
    return description.serial && description.has_opencl;
  });
}

}  // namespace

double DeviceBusy::seconds() const {
  const Executor* executor = executor_;
  if (!executor) return 0;
  uint64_t busy_ns = 0;
  for (const auto& stage : executor->stats().stages) busy_ns += stage.device_ns;
  return 1e-9 * static_cast<double>(busy_ns);
}

BinPlan plan_run(GstElement* bin, const std::vector<GstTandemStage*>& stages,
                 const BinSettings& settings, std::shared_ptr<Knowledge> knowledge,
                 const BinKnowledge& kept) {
  BinPlan plan;
  plan.stages = stages;
  plan.chain = chain_of(stages, settings);
  const AdaptRules rules = adapt_rules(settings, plan.chain.stages, plan.chain.cores);
  if (can_use_device(rules, plan.chain.device_only))
    plan.device = DeviceProvider::look(bin, settings.opencl_device);
  // What was asked for by name runs from the first frame on.
  plan.device_joins_later = device_of(plan) && rules.any() && !rules.allowed.mapping &&
                            plan.chain.device_only == 0 && !keeps_state_of_device(stages);
  plan.device_busy = std::make_shared<DeviceBusy>();
  add_energy(bin, settings, plan);
  if (plan.meter) {
    const MeterDescription& described = plan.meter->description();
    const opencl::DeviceDescription* device = device_of(plan);
    plan.chain.domains = domains_of(described, is_on_cores(device), is_in_package(device));
    plan.chain.energy_resolution_s = described.coarsest_resolution_s();
  }
  plan.conditions.processor = processor_name();
  plan.conditions.cores = plan.chain.cores;
  plan.knowledge = std::move(knowledge);
  plan.kept = kept;
  plan.neighbourhood = find_neighbourhood(bin);
  return plan;
}

}  // namespace tandem
