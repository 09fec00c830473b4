// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/runplan.h"

#include <gst/tandem/private/flow/stageadapter.h>
#include <gst/tandem/private/openclcontext.h>
#include <gst/tandem/private/ref.h>

#include <utility>

#include "gst/bin/appcontexts.h"
#include "scheduler/machine/cores.h"

namespace tandem::bin {
namespace {

Chain chain_of(const std::vector<GstTandemStage*>& stages, const Settings& settings) {
  Chain chain;
  chain.cores = settings.cores > 0 ? settings.cores : usable_physical_cores();
  chain.tdp_w = settings.tdp_w;
  chain.stages = static_cast<int>(stages.size());
  for (int k = 0; k < chain.stages; ++k) {
    StageAdapter& stage = adapter_of(stages[k]);
    stage.work().describe();
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

// A mapping or an energy source that has a name runs from the first frame on.
bool may_join_later(const RunPlan& plan, const AdaptRules& rules) {
  return rules.any() && !rules.allowed.mapping && plan.chain.device_only == 0 &&
         !keeps_state_of_device(plan.stages);
}

}  // namespace

RunPlan plan_run(GstElement* bin, const std::vector<GstTandemStage*>& stages,
                 const Settings& settings, std::shared_ptr<Knowledge> knowledge,
                 const KeptKnowledge& kept) {
  RunPlan plan;
  plan.stages = stages;
  plan.chain = chain_of(stages, settings);
  const AdaptRules rules = adapt_rules(settings, plan.chain.stages, plan.chain.cores);
  plan.device_busy = std::make_shared<DeviceBusy>();
  const auto find_energy = [bin, source = settings.energy_source, cores = plan.chain.cores,
                            busy = plan.device_busy](const DeviceSearch::Found& found) {
    return bin::find_energy(bin, source, cores, found.context.get(), busy);
  };
  const bool used = can_use_device(rules, plan.chain.device_only);
  plan.device_joins_later = used && may_join_later(plan, rules);
  if (plan.device_joins_later) {
    if (auto given = given_opencl_context(bin)) plan.device = {std::move(given), {}};
    // An invalid energy source is reported before frames flow.
    if (!plan.device && !names_energy_source(settings.energy_source)) {
      // The thread may be in a driver when all other references to the bin are gone.
      const auto held = std::make_shared<ObjectRef<GstElement>>(
          GST_ELEMENT(gst_object_ref(GST_OBJECT_CAST(bin))));
      plan.open_device = [held, find_energy, selector = settings.opencl_device] {
        return [find_energy, found = DeviceSearch::open(held->get(), selector)] {
          OpenedDevice opened{found, {}};
          try {
            opened.energy = find_energy(opened.found);
          } catch (const std::exception& e) {
            opened.energy.missing = e.what();
          }
          return opened;
        };
      };
    }
  }
  if (!plan.open_device) {
    if (used && !plan.device) plan.device = DeviceSearch::search(bin, settings.opencl_device);
    plan.energy = find_energy(plan.device.value_or(DeviceSearch::Found{}));
    plan.chain.domains = plan.energy.domains;
    plan.chain.energy_resolution_s = plan.energy.resolution_s;
  }
  plan.conditions.processor = processor_name();
  plan.conditions.cores = plan.chain.cores;
  plan.knowledge = std::move(knowledge);
  plan.kept = kept;
  plan.neighbourhood = find_neighbourhood(bin);
  return plan;
}

}  // namespace tandem::bin
