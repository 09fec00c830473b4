// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/binprovide.h"

#include <utility>

#include "gst/bin/energycontext.h"
#include "gst/bin/neighbourhoodcontext.h"
#include "gst/opencl/openclcontext.h"
#include "scheduler/machine/cores.h"
#include "scheduler/machine/energy/combined.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem {

namespace {

bool forces_device(const AdaptRules& rules) {
  return rules.allowed.mapping && rules.allowed.mapping->any_device();
}

}  // namespace

bool can_use_device(const AdaptRules& rules) {
  return forces_device(rules) || (!rules.allowed.mapping && rules.any());
}

bool DeviceProvider::wanted(const BinRun& run, const AdaptRules& rules) const {
  return can_use_device(rules) && !run.context() && !problem_;
}

DeviceProvider::Found DeviceProvider::look(GstElement* bin, const std::string& selector) {
  try {
    Found found{find_opencl_context(bin, selector), {}};
    GST_INFO_OBJECT(bin, "the OpenCL device is %s, %d of them",
                    found.context->device().name.c_str(), found.context->devices());
    return found;
  } catch (const std::exception& e) {
    GST_INFO_OBJECT(bin, "there is no OpenCL device: %s", e.what());
    return {nullptr, e.what()};
  }
}

void DeviceProvider::end_look(BinRun& run, const Found& found) {
  looking_ = false;
  problem_ = found.problem;
  if (!found.context) return;
  try {
    run.use_device(found.context);
    problem_.reset();
  } catch (const opencl::Error& e) {
    problem_ = e.what();
  }
}

std::string DeviceProvider::complaint(const BinRun& run, const BinSettings& settings,
                                      const AdaptRules& rules) {
  if (!can_use_device(rules)) return {};
  const bool forced = forces_device(rules);
  if (const auto context = run.context()) {
    if (const std::string others = warn_of_kinds(*context, settings); !others.empty())
      return others;
    return forced ? warn_of_stages(run, *rules.allowed.mapping) : "";
  }
  const bool asked = forced || settings.opencl_device != "auto";
  if (!asked || !problem_ || std::exchange(told_, true)) return {};
  return "There is no OpenCL device to use, the CPU computes everything: " + *problem_;
}

// Devices that were named and are not used; once.
std::string DeviceProvider::warn_of_kinds(const opencl::Context& context,
                                          const BinSettings& settings) {
  if (context.left_out().empty() || settings.opencl_device == "all" || std::exchange(told_, true))
    return {};
  std::string others;
  for (const std::string& name : context.left_out()) others += (others.empty() ? "" : ", ") + name;
  return "The OpenCL devices of a bin are of one kind, " + context.device().name + ", and " +
         std::to_string(opencl::kMostDevices) + " at most; not used: " + others + ".";
}

// Stages that a mapping has on the device although no device can compute them; once a mapping.
std::string DeviceProvider::warn_of_stages(const BinRun& run, const Mapping& mapping) {
  if (std::exchange(told_mapping_, mapping) == mapping) return {};
  std::string stages;
  for (int k = 0; k < run.stages(); ++k) {
    if (mapping.on_device(k) && !run.adapter(k).description().has_opencl)
      stages += (stages.empty() ? "" : ", ") + run.adapter(k).name();
  }
  if (stages.empty()) return {};
  return "The mapping has stages on the device that the CPU alone can compute, and computes: " +
         stages + ".";
}

namespace {

// Opens the energy source; says in `missing` what cannot be measured and why. May be null.
std::shared_ptr<EnergyMeter> open_energy(GstElement* bin, const BinSettings& settings, BinRun& run,
                                         std::string& missing) {
  if (auto given = find_energy_meter(bin)) return given;
  EnergyContext context;
  context.cores = run.executor().cores();
  if (const auto opencl = run.context(); opencl && !opencl->device().is_cpu) {
    context.device.name = opencl->device().name;
    context.device.count = opencl->devices();
    context.device.in_package = opencl->device().is_gpu && opencl->device().unified_memory;
  }
  // The meter is the run's own.
  context.device_busy_s = [&executor = run.executor()] {
    uint64_t busy_ns = 0;
    for (const auto& stage : executor.stats().stages) busy_ns += stage.device_ns;
    return 1e-9 * static_cast<double>(busy_ns);
  };
  OpenedMeter opened = open_meter(settings.energy_source, context);
  missing = opened.missing;
  GST_INFO_OBJECT(bin, "energy: %s %s",
                  opened.meter ? opened.meter->description().coverage.c_str() : "none",
                  missing.c_str());
  // Under `auto` and with an objective that needs none, what is missing does not matter.
  const bool asked = settings.energy_source != "auto" && settings.energy_source != "none";
  if (asked && !opened.meter) {
    GST_ELEMENT_WARNING(
        bin, RESOURCE, NOT_FOUND,
        ("energy-source=%s gives no energy: %s.", settings.energy_source.c_str(), missing.c_str()),
        ("`tandem doctor` tells how to get an energy source"));
  }
  return std::move(opened.meter);
}

}  // namespace

void provide_control(GstElement* bin, BinRun& run, const BinSettings& settings,
                     std::shared_ptr<Knowledge> knowledge, const BinKnowledge& kept) {
  std::string missing;
  const auto meter = open_energy(bin, settings, run, missing);
  const auto opencl = run.context();
  Chain chain;
  chain.stages = run.stages();
  chain.cores = run.executor().cores();
  chain.tdp_w = settings.tdp_w;
  for (int k = 0; k < chain.stages; ++k)
    chain.serial_stages |= run.adapter(k).serial() ? 1u << k : 0;
  Conditions conditions;
  conditions.processor = processor_name();
  conditions.cores = chain.cores;
  if (meter) {
    const MeterDescription& described = meter->description();
    const bool on_cores = opencl && opencl->device().is_cpu;
    const bool in_package = opencl && opencl->device().is_gpu && opencl->device().unified_memory;
    chain.domains = domains_of(described, on_cores, in_package);
    chain.energy_resolution_s = described.coarsest_resolution_s();
  }
  run.set_control(std::make_unique<BinControl>(bin, run.executor(), chain, conditions,
                                               std::move(knowledge), kept, meter, missing,
                                               find_neighbourhood(bin)));
}

}  // namespace tandem
