// SPDX-License-Identifier: LGPL-2.1-or-later
// What offering a second kind of device costs or gains: ViVid on a bin that decides by itself, with
// the first device alone and with both, by turns in one process. Prints the row "GPU and PoCL
// offered against GPU alone": the rate of what is chosen, and of the first seconds, training
// included.
//   letters_bench --devices A,B [--sizes 600x416,1920x1080] [--trainings 3] [--first-seconds 4]
//                 [--seconds 0.5] [--rounds 5] [--cores N]
#include <algorithm>
#include <cstdio>
#include <memory>

#include "model/median.h"
#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

constexpr double kMostTraining = 60, kWarmSeconds = 0.3;

struct Options {
  std::string devices;
  std::vector<std::string> sizes{"600x416", "1920x1080"};
  int trainings = 3, rounds = 5, cores = 0;
  double first_s = 4, seconds = 0.5;
};

/// The first device alone, or both.
struct Offer {
  std::string name, devices;
  std::vector<std::string> chosen;                     // by each training
  std::vector<double> training_s, experiments, first;  // of each: frames/s of the first seconds
  std::vector<double> fps;                             // of the choice of each round
};

void train(const Options& options, const BenchChain& chain, const Frames& frames, Offer& offer) {
  FedBin bin({.device = offer.devices, .cores = options.cores}, chain.stages, "caps");
  const auto start = Clock::now();
  bin.begin(frames.size);
  while (seconds_since(start) < options.first_s) bin.feed(frames.buffers);
  offer.first.push_back(static_cast<double>(bin.delivered()) / seconds_since(start));
  if (!bin.run_until_decided(frames.buffers, kMostTraining))
    throw std::runtime_error("no training ended within a minute");
  offer.chosen.push_back(bin.stats().configuration);
  offer.training_s.push_back(bin.stats().training_s);
  offer.experiments.push_back(bin.stats().training_experiments);
}

double run_chosen(const Options& options, const BenchChain& chain, const Frames& frames,
                  const Offer& offer, int round) {
  FedBin bin({.device = offer.devices, .cores = options.cores}, chain.stages, "off");
  bin.force(offer.chosen[static_cast<std::size_t>(round) % offer.chosen.size()]);
  bin.begin(frames.size);
  bin.run(frames.buffers, kWarmSeconds);
  return bin.run(frames.buffers, options.seconds);
}

void compare(const Options& options, const std::string& size) {
  const BenchChain& chain = bench_chain("vivid");
  const Frames frames(read_size(size));
  const std::string first = options.devices.substr(0, options.devices.find(','));
  Offer offers[] = {{.name = "alone", .devices = first},
                    {.name = "both", .devices = options.devices}};
  {  // Programs are built once for all.
    FedBin bin({.device = options.devices, .cores = options.cores}, chain.stages, "off");
    bin.force("ghg/cg2");
    bin.begin(frames.size);
    bin.run(frames.buffers, 0.5);
    bin.force("hgh/cg2");
    bin.run(frames.buffers, 0.5);
  }
  for (int i = 0; i < options.trainings; ++i)
    for (Offer& offer : offers) train(options, chain, frames, offer);
  for (int round = 0; round < options.rounds; ++round)
    for (Offer& offer : offers)
      offer.fps.push_back(run_chosen(options, chain, frames, offer, round));
  std::printf("ViVid %s, devices %s\n", size.c_str(), options.devices.c_str());
  std::printf(
      "offered  frames/s chosen   least    most  first %.0f s  training s  experiments  chosen\n",
      options.first_s);
  for (Offer& offer : offers) {
    const auto [least, most] = std::ranges::minmax(offer.fps);
    std::string chosen;
    for (const std::string& each : offer.chosen) chosen += " " + each;
    std::printf("%-7s  %15.1f %7.1f %7.1f  %9.1f  %10.2f  %11.0f %s\n", offer.name.c_str(),
                median(offer.fps), least, most, median(offer.first), median(offer.training_s),
                median(offer.experiments), chosen.c_str());
  }
  std::printf("both offered against the first alone, %s: %.3f chosen, %.3f in the first %.0f s\n",
              size.c_str(), median(offers[1].fps) / median(offers[0].fps),
              median(offers[1].first) / median(offers[0].first), options.first_s);
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (!value) throw std::runtime_error(name + " takes a value");
    if (name == "--devices")
      options.devices = value;
    else if (name == "--sizes")
      options.sizes = split_commas(value);
    else if (name == "--trainings")
      options.trainings = std::max(1, std::atoi(value));
    else if (name == "--rounds")
      options.rounds = std::max(1, std::atoi(value));
    else if (name == "--cores")
      options.cores = std::atoi(value);
    else if (name == "--seconds")
      options.seconds = std::atof(value);
    else if (name == "--first-seconds")
      options.first_s = std::atof(value);
    else
      throw std::runtime_error("there is no option " + name);
  }
  if (options.devices.find(',') == std::string::npos)
    throw std::runtime_error("--devices takes two: A,B");
  return options;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  try {
    const tandem::Options options = tandem::parse(argc, argv);
    for (const std::string& size : options.sizes) tandem::compare(options, size);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "letters_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
