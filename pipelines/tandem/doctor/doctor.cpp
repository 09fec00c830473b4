// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/doctor/doctor.h"

#include <gst/gst.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "kernels/opencl/opencl.h"
#include "pipelines/formatted.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/doctor/drivers.h"
#include "pipelines/tandem/options/options.h"
#include "scheduler/machine/cores.h"

namespace tandem {
namespace {

// A GPU that sleeps, or the first of eight, takes several seconds to answer.
constexpr int kDriverPatience_s = 20;

const char* mark(Finding::State state, bool color) {
  switch (state) {
    case Finding::State::good:
      return color ? "\033[32m ok \033[0m" : " ok ";
    case Finding::State::note:
      return "  - ";
    case Finding::State::missing:
      break;
  }
  return color ? "\033[33m no \033[0m" : " no ";
}

// Line by line, as some take long.
void print_finding(const Finding& finding) {
  static const bool color = isatty(STDOUT_FILENO) != 0;
  std::printf(" %s %s\n", mark(finding.state, color), finding.text.c_str());
  std::istringstream advice(finding.advice);
  for (std::string line; std::getline(advice, line);) std::printf("      %s\n", line.c_str());
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const std::vector<Examination>& examinations, bool works) {
  nlohmann::ordered_json json = {{"version", TANDEM_VERSION}, {"works", works}};
  nlohmann::ordered_json missing = nlohmann::ordered_json::array();
  for (const Examination& examination : examinations) {
    json.update(examination.data);
    for (const Finding& finding : examination.findings) {
      if (finding.state != Finding::State::missing) continue;
      missing.push_back({{"what", finding.text}, {"advice", finding.advice}});
    }
  }
  json["missing"] = std::move(missing);
  return json;
}

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
  // A source that the machine does not have is no fault of its set-up.
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

int doctor_command(const std::vector<std::string>& arguments) {
  if (arguments.size() == 3 && arguments[0] == kAskDriver)
    answer_for_opencl_driver(arguments[1], arguments[2]);
  bool json = false, verbose = false;
  int patience_s = kDriverPatience_s;
  OptionParser parser("doctor",
                      "Shows what this machine offers, what is missing and how to get it.");
  parser.add("json", json, "print JSON");
  parser.add("verbose", verbose, "OpenCL extensions too");
  parser.add("patience", patience_s, "S", "seconds until an OpenCL driver must answer (20)");
  parser.parse(arguments);
  at_least("patience", patience_s, 1, kDriverPatience_s);
  gst_init(nullptr, nullptr);

  const TellFinding tell = json ? TellFinding() : print_finding;
  const auto begin = [&](const char* title) {
    if (!json) std::printf("%s\n", title);
    std::fflush(stdout);
  };
  std::vector<Examination> examinations;
  begin("OpenCL");
  // A shell starts it, whose own /proc/self is another.
  const std::string own_path = std::filesystem::read_symlink("/proc/self/exe").string();
  examinations.push_back(examine_opencl(
      {verbose, "/etc/OpenCL/vendors", own_path, std::chrono::seconds(patience_s)}, tell));
  begin("Energy counters");
  examinations.push_back(examine_energy(energy_context(), tell));
  begin("GStreamer");
  examinations.push_back(examine_gstreamer(tell));
  begin("The CPU path");
  examinations.push_back(examine_cpu_path(tell));
  const bool works = examinations.back().data.at("cpu_path").at("works");
  if (json) {
    std::puts(to_json(examinations, works)
                  .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                  .c_str());
  } else {
    std::puts(
        works ? "Tandem works on this machine."
              : "Tandem does not work on this machine yet: the lines above name what is missing.");
  }
  return works ? 0 : 1;
}

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
