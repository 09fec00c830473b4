// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/learning/energy.h"

#include <utility>

#include "gst/bin/appcontexts.h"
#include "scheduler/machine/energy/open_meter.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem::bin {
namespace {

bool is_on_cores(const opencl::DeviceDescription* device) { return device && device->is_cpu; }

bool is_in_package(const opencl::DeviceDescription* device) {
  return device && device->is_gpu && device->unified_memory;
}

// For a device made of the cores, one in their package, or one apart from both.
Domains domains_of(const MeterDescription& meter, const opencl::DeviceDescription* device) {
  const auto domain = [](bool covered, bool sees_both) {
    if (!covered) return Domain::absent;
    return sees_both ? Domain::additive : Domain::dominant;
  };
  // Parts without a counter of their own are in U (docs/energy.md).
  const bool u_sees_both =
      (is_on_cores(device) && !meter.covers.c) || (is_in_package(device) && !meter.covers.g);
  return {domain(meter.covers.c, is_on_cores(device)), domain(meter.covers.g, false),
          domain(meter.covers.u, u_sees_both)};
}

void open(GstElement* bin, const std::string& source, const EnergyContext& context,
          EnergySource& energy) {
  OpenedMeter opened = open_meter(source, context);
  energy.meter = std::move(opened.meter);
  energy.missing = opened.missing;
  GST_INFO_OBJECT(bin, "energy: %s %s",
                  energy.meter ? energy.meter->description().coverage.c_str() : "none",
                  energy.missing.c_str());
  if (energy.asked_for && !energy.meter) {
    GST_ELEMENT_WARNING(
        bin, RESOURCE, NOT_FOUND,
        ("energy-source=%s cannot measure energy: %s.", source.c_str(), energy.missing.c_str()),
        ("`tandem doctor` lists ways to get an energy source"));
  }
}

}  // namespace

double DeviceBusy::seconds() const {
  const Executor* executor = executor_;
  if (!executor) return 0;
  uint64_t busy_ns = 0;
  for (const auto& stage : executor->stats().stages) busy_ns += stage.device_ns;
  return 1e-9 * static_cast<double>(busy_ns);
}

// Under `auto` and with an objective that needs none, what is missing does not matter.
bool names_energy_source(const std::string& source) { return source != "auto" && source != "none"; }

EnergySource find_energy(GstElement* bin, const std::string& source, int cores,
                         const opencl::Context* device, std::shared_ptr<DeviceBusy> busy) {
  EnergySource energy;
  energy.asked_for = names_energy_source(source);
  energy.meter = find_energy_meter(bin);
  const opencl::DeviceDescription* described = device ? &device->device() : nullptr;
  if (!energy.meter) {
    EnergyContext context;
    context.cores = cores;
    if (described && !is_on_cores(described)) {
      context.device.name = described->name;
      context.device.count = device->devices();
      context.device.in_package = is_in_package(described);
    }
    context.device_busy_s = [busy = std::move(busy)] { return busy->seconds(); };
    open(bin, source, context, energy);
  }
  if (!energy.meter) return energy;
  energy.domains = domains_of(energy.meter->description(), described);
  energy.resolution_s = energy.meter->description().coarsest_resolution_s();
  return energy;
}

}  // namespace tandem::bin
