// SPDX-License-Identifier: LGPL-2.1-or-later
// One frame at a time on both sides: how much a split gains over the better side, of what the rates
// of the two sides allow, share by share.
//   split_bench [--application vivid] [--sizes 600x416,1920x1080] [--device auto] [--cores 0]
//               [--step 5] [--seconds 1] [--rounds 3] [--iterations 1]
// `--step`: percent from one share to the next. `--device any --cores 1`: PoCL beside one core.
// `--iterations`: of SRAD.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

struct Options {
  FedBin::Options bin;
  std::string application = "vivid", sizes;
  int step = 5, rounds = 3, iterations = 1;
  double seconds = 1;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--application")
      options.application = value;
    else if (name == "--sizes")
      options.sizes = value;
    else if (name == "--device")
      options.bin.device = value;
    else if (name == "--cores")
      options.bin.cores = std::stoi(value);
    else if (name == "--step")
      options.step = std::max(1, std::stoi(value));
    else if (name == "--seconds")
      options.seconds = std::stod(value);
    else if (name == "--rounds")
      options.rounds = std::stoi(value);
    else if (name == "--iterations")
      options.iterations = std::stoi(value);
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (options.sizes.empty())
    options.sizes = options.application == "srad" ? "458x502,1920x1080" : "600x416,1920x1080";
  return options;
}

void measure(const Options& options, Size size) {
  std::string launch = bench_chain(options.application).stages;
  if (const std::size_t at = launch.find("sradupdate"); at != std::string::npos)
    launch.insert(at + 10, " iterations=" + std::to_string(options.iterations));
  const Frames frames(size);
  const auto stages = static_cast<std::size_t>(1 + std::ranges::count(launch, '!'));
  const std::string cores = std::string(stages, 'c') + "/mg";
  const std::string device = std::string(stages, 'g') + "/cg1";
  std::vector<std::string> configurations{cores, device};
  for (int share = options.step; share < 100; share += options.step)
    configurations.push_back(std::string(stages, 's') + "/mg/a" + std::to_string(share));
  const std::vector<Rate> rates =
      steady_rates(options.bin, launch, frames, configurations, options.seconds, options.rounds);
  const double on_cores = rate_of(rates, cores), on_device = rate_of(rates, device);
  const double better = std::max(on_cores, on_device), allowed = (on_cores + on_device) / better;
  std::printf("\n%s %s: %s %.1f, %s %.1f frames/s; the rates allow %.2f times the better side\n\n",
              options.application.c_str(), text_of(size).c_str(), cores.c_str(), on_cores,
              device.c_str(), on_device, allowed);
  std::printf("| configuration | frames/s | of the better side | of what the rates allow |\n");
  std::printf("| --- | ---: | ---: | ---: |\n");
  for (const Rate& rate : rates) {
    const double gain = rate.fps / better;
    std::printf("| %s | %.1f | %.2f | %.2f |\n", rate.configuration.c_str(), rate.fps, gain,
                gain / allowed);
  }
}

int run(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  const Options options = parse(argc, argv);
  for (const std::string& size : split_commas(options.sizes)) measure(options, read_size(size));
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  try {
    return tandem::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return EXIT_FAILURE;
  }
}
