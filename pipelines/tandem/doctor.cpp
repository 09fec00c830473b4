// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/doctor.h"

#include <gst/gst.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options.h"

namespace tandem {
namespace {

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

void print(const std::vector<Examination>& examinations) {
  const bool color = isatty(STDOUT_FILENO) != 0;
  for (const Examination& examination : examinations) {
    std::printf("%s\n", examination.title.c_str());
    for (const Finding& finding : examination.findings) {
      std::printf(" %s %s\n", mark(finding.state, color), finding.text.c_str());
      std::istringstream advice(finding.advice);
      for (std::string line; std::getline(advice, line);) std::printf("      %s\n", line.c_str());
    }
  }
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
  bool json = false, verbose = false;
  OptionParser parser("doctor",
                      "Shows what this machine offers, what is missing and how to get it.");
  parser.add("json", json, "print JSON");
  parser.add("verbose", verbose, "OpenCL extensions too");
  parser.parse(arguments);
  gst_init(nullptr, nullptr);

  const std::vector<Examination> examinations = {
      examine_opencl(verbose, "/etc/OpenCL/vendors"),
      examine_energy(energy_context()),
      examine_gstreamer(),
      examine_cpu_path(),
  };
  const bool works = examinations.back().data.at("cpu_path").at("works");
  if (json) {
    std::puts(to_json(examinations, works)
                  .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                  .c_str());
  } else {
    print(examinations);
    std::puts(works ? "Tandem works on this machine."
                    : "Tandem does not work here yet: see above.");
  }
  return works ? 0 : 1;
}

}  // namespace tandem
