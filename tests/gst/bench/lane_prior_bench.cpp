// SPDX-License-Identifier: LGPL-2.1-or-later
// What trainings of three stage files cost with the prior of lanes and without it, in turn, and how
// fast is what they choose: all of it in turn, at the end.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/gst/support/bench_search.h"
#include "tests/gst/support/three_stages.h"

namespace tandem {
namespace {

constexpr char kUsage[] =
    "lane_prior_bench [--sizes WxH,...] [--trainings N] [--seconds S] [--rounds N] "
    "[--opencl-device NAME] [--cores N]\nThe models are those in $TANDEM_DATA_DIR/models/lanes";
constexpr double kMostTraining = 60;

struct Options {
  FedBin::Options bin;
  std::vector<Size> sizes{{640, 480}, {1920, 1080}};
  int trainings = 3, rounds = 3;
  double seconds = 0.5;
};

// Of trainings of one kind.
struct Sum {
  int experiments = 0, trials = 0;
  double seconds = 0;

  void add(const Told& told) {
    experiments += told.experiments;
    trials += told.trials;
    seconds += told.training_s;
  }
};

Told train(const Options& options, const std::string& stages, const Frames& frames) {
  FedBin bin(options.bin, stages, "caps");
  bin.begin(frames.size);
  if (!bin.run_until_decided(frames.buffers, kMostTraining))
    throw std::runtime_error("no training ended within a minute");
  for (const Told& told : bin.decisions())
    if (told.experiments > 0) return told;
  throw std::runtime_error("nothing was told of a training");
}

void measure(const Options& options, const std::string& stages, Size size,
             const std::string& empty) {
  const char* const set = std::getenv("TANDEM_DATA_DIR");
  const std::string models = set ? set : "";
  const Frames frames(size);
  std::set<std::string> chosen;
  Sum sums[2];                     // without the prior and with it
  train(options, stages, frames);  // compiles
  for (int k = 0; k < 2 * options.trainings; ++k) {
    const bool prior = k % 2 == 1;
    setenv("TANDEM_DATA_DIR", prior ? models.c_str() : empty.c_str(), 1);
    const Told told = train(options, stages, frames);
    chosen.insert(told.after);
    sums[prior].add(told);
    std::printf("| %s | %s | %d | %d | %.2f | %.2f | %s | %s |\n", text_of(size).c_str(),
                prior ? "prior" : "none", told.experiments, told.trials, told.training_s,
                told.penalty_s, told.after.c_str(), told.spent.c_str());
    std::fflush(stdout);
  }
  const auto& [none, with] = sums;
  std::printf(
      "%s, in all: experiments %d, %d with the prior (%.0f%% saved); trials %d, %d; "
      "training %.2f s, %.2f s\n",
      text_of(size).c_str(), none.experiments, with.experiments,
      100 * (1 - static_cast<double>(with.experiments) / none.experiments), none.trials,
      with.trials, none.seconds, with.seconds);
  setenv("TANDEM_DATA_DIR", models.c_str(), 1);
  const std::vector<SteadyRate> rates = steady_rates(
      options.bin, stages, frames, {chosen.begin(), chosen.end()}, options.seconds, options.rounds);
  for (const Rate& rate : rates)
    std::printf("%s, %s: %.0f frames/s\n", text_of(size).c_str(), rate.configuration.c_str(),
                rate.fps);
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  if (argc % 2 == 0) throw std::runtime_error(std::string("usage: ") + kUsage);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--sizes") {
      options.sizes.clear();
      for (const std::string& size : split_commas(value)) options.sizes.push_back(read_size(size));
    } else if (name == "--trainings") {
      options.trainings = std::atoi(value.c_str());
    } else if (name == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else if (name == "--rounds") {
      options.rounds = std::max(1, std::atoi(value.c_str()));
    } else if (name == "--opencl-device") {
      options.bin.device = value;
    } else if (name == "--cores") {
      options.bin.cores = std::atoi(value.c_str());
    } else {
      throw std::runtime_error("there is no option " + name + "; usage: " + kUsage);
    }
  }
  return options;
}

void run(const Options& options) {
  std::string folder = (std::filesystem::temp_directory_path() / "tandem-prior-XXXXXX").string();
  if (!mkdtemp(folder.data())) throw std::runtime_error("no folder can be made in " + folder);
  std::puts(
      "| size | lanes | experiments | trials | training, s | lost, s | chosen | frames/s | spent "
      "|\n"
      "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |");
  const std::string stages = write_three_stages(folder);
  for (const Size size : options.sizes) measure(options, stages, size, folder);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  try {
    tandem::run(tandem::parse(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "lane_prior_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
