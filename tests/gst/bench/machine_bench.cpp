// SPDX-License-Identifier: LGPL-2.1-or-later
// Bins side by side in one process, each fed with frames from memory: what they reach together when
// they decide by themselves, of what the best of the named configurations reaches when all are
// forced to it.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/gst/support/fed_bin.h"

namespace tandem {
namespace {

struct Options {
  FedBin::Options bin;
  std::string stages = "vividfilter scales=1 ! vividhistogram ! vividclassifier";
  Size size{600, 416};
  std::vector<int> bins{1, 2, 4, 8};
  std::vector<std::string> forced;
  double seconds = 3, most_training_s = 60;
};

double processor_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * t.tv_usec; };
  return of(used.ru_utime) + of(used.ru_stime);
}

/// Bins of one process, each with a thread that feeds it.
class Crowd {
 public:
  Crowd(const Options& options, int bins, const char* adapt, const std::string& configuration,
        const std::vector<GstBuffer*>& frames) {
    for (int i = 0; i < bins; ++i) {
      bins_.push_back(std::make_unique<FedBin>(options.bin, options.stages, adapt));
      if (!configuration.empty()) bins_.back()->force(configuration);
      bins_.back()->begin(options.size);
    }
    for (auto& bin : bins_) {
      feeders_.emplace_back([this, &frames, one = bin.get()] {
        while (!stop_) one->feed(frames);
      });
    }
  }
  ~Crowd() {
    stop_ = true;
    for (std::thread& feeder : feeders_) feeder.join();
  }

  /// Seconds until nobody trains or waits to; the most when that does not come.
  double wait_until_decided(double most_s) const {
    const auto start = Clock::now();
    while (seconds_since(start) < most_s) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const bool all = std::ranges::all_of(bins_, [](const auto& bin) {
        const Stats stats = bin->stats();
        return stats.predicted && !stats.training;
      });
      if (all) return seconds_since(start);
    }
    return most_s;
  }

  struct Rate {
    double fps = 0, core_us = 0;  // a frame
  };
  Rate measure(double for_s) const {
    const guint64 before = frames();
    const double cpu_s = processor_s();
    const auto start = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(for_s));
    const auto done = static_cast<double>(frames() - before);
    return {done / seconds_since(start), 1e6 * (processor_s() - cpu_s) / std::max(1.0, done)};
  }

  int trainings() const {
    int sum = 0;
    for (const auto& bin : bins_) sum += bin->stats().trainings;
    return sum;
  }
  std::string configurations() const {
    std::string all;
    for (const auto& bin : bins_) all += (all.empty() ? "" : " ") + bin->stats().configuration;
    return all;
  }

 private:
  guint64 frames() const {
    guint64 sum = 0;
    for (const auto& bin : bins_) sum += bin->stats().frames;
    return sum;
  }

  std::vector<std::unique_ptr<FedBin>> bins_;
  std::vector<std::thread> feeders_;
  std::atomic<bool> stop_{false};
};

void compare(const Options& options, const std::vector<GstBuffer*>& frames) {
  std::puts("| bins | forced | frames/s | core us a frame | |\n| ---: | --- | ---: | ---: | --- |");
  for (const int bins : options.bins) {
    double best = 0;
    for (const std::string& configuration : options.forced) {
      const Crowd crowd(options, bins, "off", configuration, frames);
      crowd.measure(0.5);  // programs, memory
      const Crowd::Rate rate = crowd.measure(options.seconds);
      best = std::max(best, rate.fps);
      std::printf("| %d | %s | %.1f | %.1f | |\n", bins, configuration.c_str(), rate.fps,
                  rate.core_us);
      std::fflush(stdout);
    }
    const Crowd crowd(options, bins, "both", "", frames);
    const double decided_s = crowd.wait_until_decided(options.most_training_s);
    crowd.measure(0.5);
    const Crowd::Rate rate = crowd.measure(options.seconds);
    std::printf(
        "| %d | no: %s | %.1f | %.1f | %.2f of the best; decided after %.1f s, %d training(s) |\n",
        bins, crowd.configurations().c_str(), rate.fps, rate.core_us,
        best > 0 ? rate.fps / best : 0, decided_s, crowd.trainings());
    std::fflush(stdout);
  }
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--opencl-device") {
      options.bin.device = value;
    } else if (name == "--cores") {
      options.bin.cores = std::atoi(value.c_str());
    } else if (name == "--stages") {
      options.stages = value;
    } else if (name == "--size") {
      if (std::sscanf(value.c_str(), "%dx%d", &options.size.width, &options.size.height) != 2)
        throw std::runtime_error("--size takes WIDTHxHEIGHT, not " + value);
    } else if (name == "--bins") {
      options.bins.clear();
      for (const std::string& bins : split(value)) options.bins.push_back(std::atoi(bins.c_str()));
    } else if (name == "--forced") {
      options.forced = split(value);
    } else if (name == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else {
      throw std::runtime_error("there is no option " + name);
    }
  }
  if (argc % 2 == 0)
    throw std::runtime_error(
        "usage: machine_bench [--opencl-device NAME] [--cores N] [--stages LINE] [--size WxH] "
        "[--bins K,K...] [--forced CONFIGURATION,CONFIGURATION...] [--seconds S]");
  return options;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  try {
    const tandem::Options options = tandem::parse(argc, argv);
    const std::vector<GstBuffer*> frames = tandem::make_frames(options.size);
    tandem::compare(options, frames);
    for (GstBuffer* frame : frames) gst_buffer_unref(frame);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "machine_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
