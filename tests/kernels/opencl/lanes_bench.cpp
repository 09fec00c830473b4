// SPDX-License-Identifier: LGPL-2.1-or-later
// How the device is best kept at work: S frames of ViVid in flight, each on an in-order queue of
// its own (a lane). Compares who waits for a lane, and how, with frames in ordinary and in
// page-locked memory. Prints frames a second, latency (from enqueue to scores) and processor time
// a frame. Usage: lanes_bench [SECONDS A ROW].
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "kernels/opencl/native.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_device.h"
#include "tests/kernels/vivid/vivid_on_device.h"

namespace tandem::check {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// How a thread waits for the commands of a lane.
enum class Wait {
  finish,    ///< clFinish, which spins in some drivers
  callback,  ///< sleeps until the driver calls back
  poll,      ///< sleeps for most of the time that frames took, then looks every 20 us
};
constexpr const char* kWaits[] = {"clFinish", "callback", "sleep+poll"};

/// Luma of one frame, in ordinary memory or in memory that the device reads directly.
struct Frame {
  Frame(const std::shared_ptr<opencl::Context>& context, FrameSize size, bool page_locked)
      : ordinary(static_cast<std::size_t>(size.width) * size.height),
        locked(page_locked ? context : nullptr, ordinary.size()),
        plane{page_locked ? static_cast<uint8_t*>(locked.host(opencl::Buffer::Access::write))
                          : ordinary.data(),
              size.width, size.height, size.width} {
    std::mt19937 random(1);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        plane.row(y)[x] = static_cast<uint8_t>(x + y + random() % 50);
  }
  std::vector<uint8_t> ordinary;
  opencl::Buffer locked;
  const Plane<uint8_t> plane;
};

class Lane {
 public:
  Lane(const std::shared_ptr<opencl::Context>& context, const VividModel& model, FrameSize size)
      : vivid_(context, model, size.width, size.height) {}

  void begin(const Frame& frame) {
    began_ = Clock::now();
    vivid_.enqueue({frame.plane.data, frame.plane.width, frame.plane.height, frame.plane.stride});
    done_ = false;
    fence_ = cl::Event();
    vivid_.queue.native().queue.enqueueMarkerWithWaitList(nullptr, &fence_);
    vivid_.queue.flush();
  }

  void end(Wait wait) {
    if (wait == Wait::finish) {
      vivid_.queue.finish();
    } else if (wait == Wait::callback) {
      fence_.setCallback(
          CL_COMPLETE, [](cl_event, cl_int, void* lane) { static_cast<Lane*>(lane)->complete(); },
          this);
      done_.wait(false);
    } else {
      const std::chrono::duration<double> most(0.8 * usual_s_ - seconds_since(began_));
      if (most.count() > 50e-6) std::this_thread::sleep_for(most);
      while (fence_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE)
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    const double took_s = seconds_since(began_);
    usual_s_ += 0.1 * (took_s - usual_s_);
    latencies_s.push_back(took_s);
    benchmark::DoNotOptimize(vivid_.scores());
  }

  std::vector<double> latencies_s;

 private:
  void complete() {
    done_ = true;
    done_.notify_one();
  }

  Vivid vivid_;
  cl::Event fence_;
  std::atomic<bool> done_{false};
  Clock::time_point began_;
  double usual_s_ = 0;
};

void measure(const std::shared_ptr<opencl::Context>& context, FrameSize size, int lanes_wanted,
             bool one_feeder, Wait wait, bool page_locked, double lasts_s) {
  const VividModel model(100);
  std::vector<std::unique_ptr<Lane>> lanes;
  std::vector<std::unique_ptr<Frame>> frames;
  for (int i = 0; i < lanes_wanted; ++i) {
    lanes.push_back(std::make_unique<Lane>(context, model, size));
    frames.push_back(std::make_unique<Frame>(context, size, page_locked));
    for (int warm = 0; warm < 5; ++warm) {
      lanes.back()->begin(*frames.back());
      lanes.back()->end(Wait::finish);
    }
    lanes.back()->latencies_s.clear();
  }
  const double core_s = process_core_seconds();
  const auto start = Clock::now();
  if (one_feeder) {
    for (int i = 0; i < lanes_wanted; ++i) lanes[i]->begin(*frames[i]);
    for (std::size_t next = 0; seconds_since(start) < lasts_s; ++next) {
      const std::size_t i = next % lanes.size();
      lanes[i]->end(wait);
      lanes[i]->begin(*frames[i]);
    }
    for (const auto& lane : lanes) lane->end(Wait::finish);
  } else {
    std::vector<std::thread> threads;
    for (int i = 0; i < lanes_wanted; ++i) {
      threads.emplace_back([&, i] {
        while (seconds_since(start) < lasts_s) {
          lanes[i]->begin(*frames[i]);
          lanes[i]->end(wait);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const double took_s = seconds_since(start), used_s = process_core_seconds() - core_s;
  std::vector<double> latencies_s;
  for (const auto& lane : lanes)
    latencies_s.insert(latencies_s.end(), lane->latencies_s.begin(), lane->latencies_s.end());
  std::ranges::sort(latencies_s);
  const auto at = [&](double share) {
    return 1e6 * latencies_s[static_cast<std::size_t>(share * (latencies_s.size() - 1.0))];
  };
  const auto count = static_cast<double>(latencies_s.size());
  std::printf("| %s | %d | %s | %s | %s | %.0f | %.0f | %.0f | %.0f |\n", size.name, lanes_wanted,
              one_feeder ? "one feeder" : "thread a lane", kWaits[static_cast<int>(wait)],
              page_locked ? "page-locked" : "ordinary", count / took_s, at(0.5), at(0.95),
              1e6 * used_s / count);
  std::fflush(stdout);
}

}  // namespace
}  // namespace tandem::check

int main(int argc, char** argv) {
  using namespace tandem::check;
  const double lasts_s = argc > 1 ? std::atof(argv[1]) : 1;
  const auto context = tandem::opencl::test_context();
  if (!context) return std::puts("no OpenCL device on this machine"), 0;
  std::printf("%s\n", context->device().name.c_str());
  std::puts("| size | lanes | threads | wait | frames | frames/s | p50 us | p95 us | core us |");
  std::puts("| --- | ---: | --- | --- | --- | ---: | ---: | ---: | ---: |");
  for (const FrameSize& size : kFrameSizes)
    for (const int lanes : {1, 2, 3, 4, 8})
      for (const bool one_feeder : {false, true})
        for (const Wait wait : {Wait::finish, Wait::callback, Wait::poll})
          for (const bool page_locked : {false, true})
            measure(context, size, lanes, one_feeder, wait, page_locked, lasts_s);
}
