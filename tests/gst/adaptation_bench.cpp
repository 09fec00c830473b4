// SPDX-License-Identifier: LGPL-2.1-or-later
// What adapting gains and costs: ViVid on a stream that goes from one size to another and back,
// with a bin that adapts, the same bin frozen in what it chose for the first size, and each part in
// the configurations named by --best (from `tandem bench`). Then what watching costs a steady
// stream: the chosen configuration with adapt=both and adapt=off in turn.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/median.h"
#include "tests/gst/support/fed_bin.h"

namespace tandem {
namespace {

constexpr char kStages[] = "vividfilter scales=1 ! vividhistogram ! vividclassifier";

struct Options {
  FedBin::Options bin;
  std::string best;
  double seconds = 10;
};

constexpr Size kParts[] = {{600, 416}, {1920, 1080}, {600, 416}};

// Of steady runs with and without watching, and what each lasts at least: filling the bin anew is a
// small part of it.
constexpr int kPairs = 31;
constexpr double kLeastTurn = 0.5;

struct Row {
  double fps[std::size(kParts)];
  std::string configurations[std::size(kParts)];
};

void print(const char* name, const Row& row) {
  std::printf("| %-8s |", name);
  for (std::size_t i = 0; i < std::size(kParts); ++i)
    std::printf(" %8.1f (%s) |", row.fps[i], row.configurations[i].c_str());
  std::puts("");
  std::fflush(stdout);
}

void compare(const Options& options, const std::vector<GstBuffer*>* frames) {
  std::printf("| frames/s |");
  for (const Size& size : kParts) std::printf(" %dx%d |", size.width, size.height);
  std::puts("\n| --- | ---: | ---: | ---: |");
  Row row;
  std::vector<std::string> trainings;
  {
    FedBin stream(options.bin, kStages, "both");
    for (std::size_t i = 0; i < std::size(kParts); ++i) {
      stream.begin(kParts[i]);
      const Stats before = stream.stats();
      row.fps[i] = stream.run(frames[i % 2], options.seconds);
      const Stats after = stream.stats();
      row.configurations[i] = after.configuration;
      char text[160];
      std::snprintf(text, sizeof text, "part %zu: %d training(s), %.3f s, %d frames, %.3f s lost",
                    i + 1, after.trainings - before.trainings, after.training_s - before.training_s,
                    after.training_frames - before.training_frames,
                    after.penalty_s - before.penalty_s);
      trainings.emplace_back(text);
    }
    print("adapts", row);
  }
  {
    FedBin stream(options.bin, kStages, "both");
    stream.begin(kParts[0]);
    stream.run_until_decided(frames[0]);
    stream.set("adapt", "off");
    for (std::size_t i = 0; i < std::size(kParts); ++i) {
      stream.begin(kParts[i]);
      row.fps[i] = stream.run(frames[i % 2], options.seconds);
      row.configurations[i] = stream.stats().configuration;
    }
    print("frozen", row);
  }
  if (!options.best.empty()) {
    const std::size_t comma = options.best.find(',');
    const std::string best[] = {options.best.substr(0, comma), options.best.substr(comma + 1)};
    FedBin stream(options.bin, kStages, "off");
    for (std::size_t i = 0; i < std::size(kParts); ++i) {
      stream.force(best[i % 2]);
      stream.begin(kParts[i]);
      row.fps[i] = stream.run(frames[i % 2], options.seconds);
      row.configurations[i] = stream.stats().configuration;
    }
    print("best", row);
  }
  for (const std::string& training : trainings) std::puts(training.c_str());
}

void steady(const Options& options, const std::vector<GstBuffer*>* frames) {
  for (std::size_t i = 0; i < 2; ++i) {
    FedBin stream(options.bin, kStages, "both");
    stream.begin(kParts[i]);
    stream.run_until_decided(frames[i]);
    std::vector<double> ratios;
    double fps = 0;
    for (int round = 0; round < kPairs; ++round) {
      // In turn, and the order changes: a machine whose speed drifts hits both.
      double rate[2];
      for (int turn = 0; turn < 2; ++turn) {
        const bool watching = (turn == 0) == (round % 2 == 0);
        stream.set("adapt", watching ? "drift" : "off");
        rate[watching] = stream.run(frames[i], std::max(kLeastTurn, options.seconds / kPairs));
      }
      ratios.push_back(rate[1] / rate[0]);
      fps = rate[1];
    }
    const auto [least, most] = std::ranges::minmax(ratios);
    std::printf(
        "steady %dx%d %s: watching runs at %.4f of adapt=off (median of %zu, %.4f to %.4f), "
        "%.1f frames/s\n",
        kParts[i].width, kParts[i].height, stream.stats().configuration.c_str(), median(ratios),
        ratios.size(), least, most, fps);
    std::fflush(stdout);
  }
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--opencl-device") {
      options.bin.device = value;
    } else if (name == "--best") {
      options.best = value;
    } else if (name == "--cores") {
      options.bin.cores = std::atoi(value.c_str());
    } else if (name == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else if (name == "--max-overhead") {
      options.bin.max_overhead = std::atof(value.c_str());
    } else {
      throw std::runtime_error("there is no option " + name);
    }
  }
  if (argc % 2 == 0)
    throw std::runtime_error(
        "usage: adaptation_bench [--opencl-device NAME] [--cores N] [--seconds S] "
        "[--max-overhead SHARE] [--best CONFIGURATION,CONFIGURATION]");
  return options;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  try {
    const tandem::Options options = tandem::parse(argc, argv);
    const std::vector<GstBuffer*> frames[] = {tandem::make_frames(tandem::kParts[0]),
                                              tandem::make_frames(tandem::kParts[1])};
    tandem::compare(options, frames);
    tandem::steady(options, frames);
    for (const auto& some : frames)
      for (GstBuffer* frame : some) gst_buffer_unref(frame);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "adaptation_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
