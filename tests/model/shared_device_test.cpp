// SPDX-License-Identifier: LGPL-2.1-or-later
// Coupled mappings in which any thread takes the device when it is free.
#include <gtest/gtest.h>

#include <queue>
#include <random>

#include "model/predict.h"

namespace tandem {
namespace {

// Stages on the CPU and on the device in ms; threads that scale perfectly.
Measurements chip(const std::vector<double>& cpu_ms, const std::vector<double>& device_ms,
                  int cores) {
  Measurements m;
  m.cores = cores;
  double all_s = 0;
  for (std::size_t k = 0; k < cpu_ms.size(); ++k) {
    m.stages.push_back({.cg = {1e-3 * cpu_ms[k], {}},
                        .mg = {1e-3 * cpu_ms[k] / cores, {}},
                        .device = {1e-3 * device_ms[k], {}},
                        .has_device = true});
    all_s += 1e-3 * cpu_ms[k];
  }
  for (int n = 1; n <= cores + 1; ++n) m.cg.push_back({all_s / n, {}});
  return m;
}

// Frames a second when every stage takes its time, a little more or less, and each thread follows
// the executor's rule.
double simulate(const Measurements& m, const Configuration& c) {
  constexpr int kFrames = 20000;
  std::mt19937 random(1);
  std::normal_distribution<double> noise(1, 0.05);
  struct Thread {
    double now_s = 0;
    int stage = 0;
    bool operator>(const Thread& other) const { return now_s > other.now_s; }
  };
  std::priority_queue<Thread, std::vector<Thread>, std::greater<>> threads;
  for (int i = 0; i < c.threads; ++i) threads.push({1e-6 * i, 0});
  const int stages = static_cast<int>(m.stages.size());
  double device_free_s = 0, last_s = 0;
  for (int frames = 0; frames < kFrames;) {
    Thread thread = threads.top();
    threads.pop();
    const bool run = c.mapping.on_device(thread.stage);
    const bool device = run && thread.now_s >= device_free_s;
    do {  // a run stays on its side
      const StageMeasurements& stage = m.stages[thread.stage++];
      thread.now_s += (device ? stage.device : stage.cg).seconds * noise(random);
    } while (run && thread.stage < stages && c.mapping.on_device(thread.stage));
    if (device) device_free_s = thread.now_s;
    if (thread.stage == stages) {
      thread.stage = 0;
      ++frames;
      last_s = std::max(last_s, thread.now_s);
    }
    threads.push(thread);
  }
  return kFrames / last_s;
}

Configuration coupled(const char* mapping, int threads) {
  Configuration c{{}, Granularity::coarse, threads};
  EXPECT_EQ(parse_mapping(mapping, static_cast<int>(std::string(mapping).size()), c.mapping), "");
  return c;
}

TEST(SharedDevice, OneThreadDoesOneThingAtATime) {
  const Measurements m = chip({4, 2, 3}, {0.5, 0.5, 0.5}, 4);
  EXPECT_NEAR(predict(m, coupled("gcg", 1)).throughput_fps, 1000 / 3.0, 1e-9);
}

TEST(SharedDevice, IsWhatASimulationShows) {
  double worst = 0, sum = 0;
  int count = 0;
  for (const auto& cpu_ms : {std::vector<double>{4, 0.2, 2}, {4, 2, 2}, {1, 3, 5}, {6, 1, 1}}) {
    for (const double speedup : {0.8, 2.0, 8.0, 25.0}) {
      std::vector<double> device_ms = cpu_ms;
      for (double& ms : device_ms) ms /= speedup;
      const Measurements m = chip(cpu_ms, device_ms, 16);
      for (const char* mapping : {"gcc", "cgc", "ccg", "ggc", "gcg", "cgg"}) {
        for (const int threads : {2, 3, 5, 9, 17}) {
          const Configuration c = coupled(mapping, threads);
          const double real = simulate(m, c);
          const double error = std::abs(predict(m, c).throughput_fps / real - 1);
          sum += error;
          ++count;
          if (error > worst) {
            worst = error;
            RecordProperty("worst", to_string(c));
          }
          EXPECT_LT(error, 0.3) << to_string(c) << " speedup " << speedup << " real " << real
                                << " of " << cpu_ms[0] << " " << cpu_ms[1] << " " << cpu_ms[2];
        }
      }
    }
  }
  EXPECT_LT(sum / count, 0.05);
  RecordProperty("mean_error_percent", std::to_string(100 * sum / count));
}

}  // namespace
}  // namespace tandem
