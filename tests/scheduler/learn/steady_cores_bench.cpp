// SPDX-License-Identifier: LGPL-2.1-or-later
// How steady the processors of a machine are: a virtual one may share its cores with others, and
// rates that one thread bounds are no steadier than that.
//   steady_cores_bench [--seconds 5] [--period 0.25]
// A thread on each processor adds in registers, first one processor after the other, then all at
// once. The tables have the least, the median and the most additions of a period on each processor,
// as parts of the most of all.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "model/median.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

struct Options {
  double seconds = 5, period_s = 0.25;
};

std::vector<int> usable() {
  cpu_set_t set;
  CPU_ZERO(&set);
  pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  return processors;
}

// Adds on one processor as long as it exists.
class Adder {
 public:
  explicit Adder(int processor) : thread_([this] { add(); }) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    pthread_setaffinity_np(thread_.native_handle(), sizeof set, &set);
  }
  ~Adder() {
    over_ = true;
    thread_.join();
  }
  Adder(const Adder&) = delete;
  Adder& operator=(const Adder&) = delete;

  /// Millions of additions so far.
  double millions() const { return 1e-6 * kAtOnce * kTurns * static_cast<double>(turns_.load()); }

 private:
  static constexpr int kAtOnce = 8, kTurns = 1000;

  // Chains that do not wait for each other keep all adders of a core busy.
  void add() {
    uint64_t sums[kAtOnce] = {};
    while (!over_) {
      for (int turn = 0; turn < kTurns; ++turn) {
        for (uint64_t& sum : sums) {
          ++sum;
          asm volatile("" : "+r"(sum));  // each has to be made
        }
      }
      turns_.store(turns_ + 1, std::memory_order_relaxed);
    }
  }

  std::atomic<bool> over_{false};
  std::atomic<uint64_t> turns_{0};
  std::thread thread_;
};

using Adders = std::vector<std::unique_ptr<Adder>>;

void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Millions of additions a second, [adder][period].
std::vector<std::vector<double>> rates_of(const Adders& adders, int periods, double period_s) {
  std::vector<std::vector<double>> rates(adders.size());
  std::vector<double> before(adders.size());
  uint64_t before_ns = 0;
  for (int period = 0; period <= periods; ++period) {
    const uint64_t at_ns = now_ns();
    for (std::size_t i = 0; i < adders.size(); ++i) {
      const double now = adders[i]->millions();
      if (period > 0) rates[i].push_back((now - before[i]) / seconds(at_ns - before_ns));
      before[i] = now;
    }
    before_ns = at_ns;
    if (period < periods) sleep_s(period_s);
  }
  return rates;
}

void print(const char* how, const std::vector<int>& processors,
           std::vector<std::vector<double>> rates) {
  double most = 0;
  std::vector<double> all;
  for (const std::vector<double>& one : rates) {
    most = std::max(most, std::ranges::max(one));
    all.insert(all.end(), one.begin(), one.end());
  }
  std::printf("\n| %s | least | median | most |\n| --- | ---: | ---: | ---: |\n", how);
  for (std::size_t i = 0; i < rates.size(); ++i)
    std::printf("| processor %d | %.2f | %.2f | %.2f |\n", processors[i],
                std::ranges::min(rates[i]) / most, median(rates[i]) / most,
                std::ranges::max(rates[i]) / most);
  std::printf("| all, of %.0f million additions a second | %.2f | %.2f | %.2f |\n", most,
              std::ranges::min(all) / most, median(all) / most, 1.0);
}

void run(const Options& options) {
  const std::vector<int> processors = usable();
  const int periods = std::max(1, static_cast<int>(options.seconds / options.period_s));
  const int each = std::max(2, periods / 4);
  std::vector<std::vector<double>> alone;
  for (const int processor : processors) {
    Adders one;
    one.push_back(std::make_unique<Adder>(processor));
    sleep_s(options.period_s / 5);  // it moves there
    alone.push_back(rates_of(one, each, options.period_s / 5)[0]);
  }
  print("one after the other", processors, alone);
  Adders all;
  for (const int processor : processors) all.push_back(std::make_unique<Adder>(processor));
  sleep_s(options.period_s / 5);
  print("all at once", processors, rates_of(all, periods, options.period_s));
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  tandem::Options options;
  for (int i = 1; i < argc; i += 2) {
    const double value = i + 1 < argc ? std::atof(argv[i + 1]) : 0;
    if (std::strcmp(argv[i], "--seconds") == 0 && value > 0) {
      options.seconds = value;
    } else if (std::strcmp(argv[i], "--period") == 0 && value > 0) {
      options.period_s = value;
    } else {
      std::fprintf(stderr, "usage: steady_cores_bench [--seconds S] [--period S]\n");
      return 1;
    }
  }
  tandem::run(options);
  return 0;
}
