// SPDX-License-Identifier: LGPL-2.1-or-later
// What a worker waits for the server in a job of 10 s at 30 frames/s: a batch of lines at each of
// its 100 ticks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "pipelines/jobs/redis/queue.h"
#include "tests/gst/publish/real_broker.h"

int main() {
  using namespace tandem;
  using namespace std::chrono_literals;
  constexpr int kJobs = 50, kTicks = 100, kLines = 3;
  const auto server = test::real_broker("redis");
  if (!server) return 77;
  server->start();
  const RedisSettings settings{parse_queue_location(server->location()), "", "bench"};
  SubmitQueue(settings).submit({"file:///a", "vivid", {}}, std::vector<Part>(kJobs));
  const auto queue = std::make_unique<WorkQueue>(settings, "bench", 60s);
  ResultLines lines{0, kLines, {}};
  for (int i = 0; i < kLines; ++i) lines.text += std::string(400, 'x') + "\n";
  std::vector<double> seconds;
  for (int job = 0; job < kJobs; ++job) {
    const auto begin = std::chrono::steady_clock::now();
    queue->results_waiting();
    const auto claim = queue->take(1s);
    const std::string id = read_job(claim->text).id;
    queue->keep(*claim);
    for (int tick = 0; tick < kTicks; ++tick) queue->publish(id, lines, {});
    queue->finish(*claim, id, lines, {});
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::sort(seconds);
  const double median_s = seconds[kJobs / 2];
  std::printf("a job of 10 s waits %.1f ms for the server (median of %d; most %.1f ms): %.2f%%\n",
              median_s * 1e3, kJobs, seconds.back() * 1e3, median_s * 10);
}
