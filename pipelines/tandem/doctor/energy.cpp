// SPDX-License-Identifier: LGPL-2.1-or-later
#include <array>

#include "kernels/opencl/opencl.h"
#include "pipelines/formatted.h"
#include "pipelines/tandem/doctor/doctor.h"
#include "scheduler/machine/cores.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const MeterDescription& meter) {
  const auto resolution = [](bool covered, double seconds) {
    return covered ? Json(seconds) : Json(nullptr);
  };
  return {{"name", meter.name},
          {"coverage", meter.coverage},
          {"resolution_s",
           {{"c", resolution(meter.covers.c, meter.resolution_s.c)},
            {"g", resolution(meter.covers.g, meter.resolution_s.g)},
            {"u", resolution(meter.covers.u, meter.resolution_s.u)}}}};
}

const char* name_of(SourceReport::State state) {
  constexpr std::array kNames{"works", "absent", "denied", "broken"};  // as the states
  return kNames.at(static_cast<std::size_t>(state));
}

Finding::State finding_state(SourceReport::State state) {
  if (state == SourceReport::State::works) return Finding::State::good;
  // What a machine does not have is no fault of its set-up.
  return state == SourceReport::State::absent ? Finding::State::note : Finding::State::missing;
}

void examine_source(Examination& result, const std::string& source, const EnergyContext& context) {
  const OpenedMeter opened = open_meter(source, context);
  Json& data = result.data["energy"][source];
  for (const SourceReport& report : opened.sources) {
    std::string text = report.text;
    data = {{"state", name_of(report.state)}, {"text", report.text}, {"advice", report.advice}};
    if (opened.meter) {
      data["meter"] = to_json(opened.meter->description());
      text += formatted(", a new value every %g ms",
                        1e3 * opened.meter->description().coarsest_resolution_s());
    }
    result.add({finding_state(report.state), source + ": " + text, report.advice});
  }
}

void examine_auto(Examination& result, const EnergyContext& context) {
  const OpenedMeter opened = open_meter("auto", context);
  Json& data = result.data["energy"]["auto"];
  data = opened.meter ? to_json(opened.meter->description()) : Json(nullptr);
  const std::string taken =
      opened.meter ? opened.meter->description().name + ": " + opened.meter->description().coverage
                   : "none: objectives that need energy fall back to throughput";
  result.add({opened.meter ? Finding::State::good : Finding::State::note,
              "`energy-source=auto` selects " + taken});
}

}  // namespace

EnergyContext energy_context() {
  EnergyContext context;
  context.cores = usable_physical_cores();
  try {
    const auto opencl = opencl::Context::open("auto");
    const opencl::DeviceDescription& device = opencl->device();
    if (!device.is_cpu) context.device = {device.name, {}, device.is_gpu && device.unified_memory};
  } catch (const opencl::Error&) {  // no device: no G
  }
  return context;
}

Examination examine_energy(const EnergyContext& context, const TellFinding& tell) {
  Examination result{.tell = tell};
  for (const char* source : {"rapl", "pcm", "nvml"}) examine_source(result, source, context);
  examine_auto(result, context);
  return result;
}

}  // namespace tandem
