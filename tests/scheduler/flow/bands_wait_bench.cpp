// SPDX-License-Identifier: LGPL-2.1-or-later
// What stages in bands take on a machine that is busy: a band that needs rows of another one may
// wait for a thread that has lost its core.
//   bands_wait_bench [--cores 2] [--burners 0,2] [--rows 480] [--row-us 1] [--stages 6] [--halo 1]
//                    [--seconds 2] [--rounds 3]
// Microseconds of a frame by the clock (median, 95th percentile) and of processor time.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "scheduler/flow/bands.h"
#include "scheduler/machine/clock.h"
#include "tests/support/cores_stage.h"

namespace tandem {
namespace {

struct Options {
  int cores = 2, rows = 480, stages = 6, halo = 1, rounds = 3;
  double row_us = 1, seconds = 2;
  std::string burners = "0,2";
};

void spin_until(uint64_t until_ns) {
  while (now_ns() < until_ns) {
  }
}

// Rows that take as long as they say, of processor time on a quiet machine.
class Rows final : public CoresStage {
 public:
  Rows(int number, const Options& options, double turns_a_row)
      : number_(number), options_(options), turns_a_row_(turns_a_row) {}

  int rows(const Item&) const override { return options_.rows; }
  void compute(Item&, int first, int last) override { turn(turns_a_row_ * (last - first)); }
  SplitRows needs(const Item&, int producer, const SplitRows& rows) const override {
    if (producer != number_ - 1) return SplitRows::none(options_.rows);
    return {std::min(options_.rows, rows.device_end + options_.halo),
            std::max(0, rows.cores_begin - options_.halo)};
  }

  static void turn(double turns) {
    volatile double left = turns;
    while (left > 0) left = left - 1;
  }

 private:
  const int number_;
  const Options& options_;
  const double turns_a_row_;
};

double processor_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double turns_a_us() {
  constexpr double kTurns = 2e6;
  double best_s = 1;
  for (int i = 0; i < 5; ++i) {
    const uint64_t start = now_ns();
    Rows::turn(kTurns);
    best_s = std::min(best_s, seconds(now_ns() - start));
  }
  return 1e-6 * kTurns / best_s;
}

class Burners {
 public:
  explicit Burners(int count) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this] {
        while (!ends_) spin_until(now_ns() + 100'000);
        rusage used{};
        getrusage(RUSAGE_THREAD, &used);
        const double us = 1e6 * static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                          static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        burnt_us_ += static_cast<int64_t>(us);
      });
  }
  double end() {
    ends_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return 1e-6 * static_cast<double>(burnt_us_);
  }

 private:
  std::atomic<bool> ends_{false};
  std::atomic<int64_t> burnt_us_{0};
  std::vector<std::thread> threads_;
};

void measure(const Options& options, int burners, double turns) {
  std::vector<Rows> stages;
  for (int k = 0; k < options.stages; ++k) stages.emplace_back(k, options, turns * options.row_us);
  std::vector<BandPool::Part> parts;
  for (int k = 0; k < options.stages; ++k)
    parts.push_back({&stages[static_cast<std::size_t>(k)], k, 0});
  BandPool pool(options.cores);
  Item item;
  const std::atomic<bool> goes_on{false};
  std::vector<double> frames_us;
  const double before_s = processor_s();
  Burners others(burners);
  for (const uint64_t start = now_ns(); seconds(now_ns() - start) < options.seconds;) {
    const uint64_t begin = now_ns();
    pool.compute(parts, item, goes_on);
    frames_us.push_back(1e6 * seconds(now_ns() - begin));
  }
  const double burnt_s = others.end();
  const double used_us = 1e6 * (processor_s() - before_s - burnt_s);
  std::ranges::sort(frames_us);
  const std::size_t n = frames_us.size();
  std::printf("| %d | %zu | %.0f | %.0f | %.0f |\n", burners, n, frames_us[n / 2],
              frames_us[n * 95 / 100], used_us / static_cast<double>(n));
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  Options options;
  const std::map<std::string, int*> numbers{{"--cores", &options.cores},
                                            {"--rows", &options.rows},
                                            {"--stages", &options.stages},
                                            {"--halo", &options.halo},
                                            {"--rounds", &options.rounds}};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (const auto number = numbers.find(name); number != numbers.end())
      *number->second = std::stoi(value);
    else if (name == "--row-us")
      options.row_us = std::stod(value);
    else if (name == "--seconds")
      options.seconds = std::stod(value);
    else if (name == "--burners")
      options.burners = value;
    else
      return std::fprintf(stderr, "unknown option %s\n", name.c_str()), EXIT_FAILURE;
  }
  const double turns = turns_a_us();
  std::printf(
      "| burners | frames | us, median | us, 95th percentile | us of processor time |\n"
      "| ---: | ---: | ---: | ---: | ---: |\n");
  for (int round = 0; round < options.rounds; ++round) {
    std::istringstream list(options.burners);
    for (std::string each; std::getline(list, each, ',');) measure(options, std::stoi(each), turns);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) { return tandem::run(argc, argv); }
