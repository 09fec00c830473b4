// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/doctor/doctor.h"

#include <gst/gst.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <sstream>

#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/doctor/drivers.h"
#include "pipelines/tandem/options/options.h"

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

}  // namespace tandem
