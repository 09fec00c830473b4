// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/device/deviceopening.h"

#include <gst/gst.h>

#include <chrono>
#include <condition_variable>
#include <system_error>
#include <utility>

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem::bin {
namespace {

template <class Body>
void timed(const std::string& what, Body&& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  GST_DEBUG("programs of %s built in %.3f s", what.c_str(), took.count());
}

// Counted from the beginning of the opening: twice the 2.0 s of the slowest driver (decision 35). A
// host that exits while a thread is in a driver may crash in the driver's destructors: ending waits
// for drivers that answer.
constexpr std::chrono::seconds kDriverPatience{4};

}  // namespace

/// The state that the opening thread shares with the run, which may end before the driver returns.
struct DeviceOpening::Attempt {
  enum class Phase { in_driver, takes_over, over, abandoned };

  // False: the run no longer waits for the devices.
  bool take_over() {
    std::lock_guard lock(mutex);
    if (phase == Phase::abandoned) return false;
    phase = Phase::takes_over;
    return true;
  }
  void finish() {
    std::lock_guard lock(mutex);
    phase = Phase::over;
    changed.notify_all();
  }
  // True: the driver has not answered, and the thread touches nothing of the run any more.
  bool abandon() {
    std::unique_lock lock(mutex);
    ending = true;
    changed.notify_all();
    changed.wait_until(lock, patience_ends, [this] { return phase == Phase::over; });
    if (phase == Phase::in_driver) phase = Phase::abandoned;
    return phase == Phase::abandoned;
  }

  const std::chrono::steady_clock::time_point patience_ends =
      std::chrono::steady_clock::now() + kDriverPatience;
  std::mutex mutex;
  std::condition_variable changed;
  Phase phase = Phase::in_driver;
  bool ending = false;
};

void DeviceOpening::expect(std::span<StageAdapter* const> stages, Fusion& fusion) {
  stages_ = stages;
  fusion_ = &fusion;
  for (StageAdapter* stage : stages_) stage->work().keep_first_frame();
  state_ = State::opens;
}

void DeviceOpening::open_with(std::function<TakeOver()> open) {
  attempt_ = std::make_shared<Attempt>();
  const auto body = [attempt = attempt_, open = std::move(open)] {
    const TakeOver take_over = open();
    if (!attempt->take_over()) return;
    take_over();
    attempt->finish();
  };
  try {
    opener_ = std::thread(body);
  } catch (const std::system_error&) {
    body();
  }
}

bool DeviceOpening::opening() const {
  if (!attempt_) return false;
  std::lock_guard lock(attempt_->mutex);
  return attempt_->phase != Attempt::Phase::over;
}

void DeviceOpening::wait_until_open() const {
  std::unique_lock lock(attempt_->mutex);
  attempt_->changed.wait_until(lock, attempt_->patience_ends, [this] {
    return attempt_->phase == Attempt::Phase::over || attempt_->ending;
  });
}

void DeviceOpening::found(std::vector<std::shared_ptr<opencl::Context>> kinds,
                          std::function<void()> joined) {
  kinds_ = std::move(kinds);
  joined_ = std::move(joined);
  state_ = State::waits;
}

void DeviceOpening::none_found() {
  State opens = State::opens;
  if (!state_.compare_exchange_strong(opens, State::idle)) return;
  for (StageAdapter* stage : stages_) stage->work().build_for({});  // releases the frame
}

void DeviceOpening::frame_left() {
  if (state_ != State::waits) return;
  std::lock_guard lock(mutex_);
  if (ended_ || state_ != State::waits) return;
  state_ = State::builds;
  try {
    builder_ = std::thread([this] { build(); });
  } catch (const std::system_error&) {
    state_ = State::waits;  // for a thread, at the next frame
  }
}

void DeviceOpening::join_now() {
  State waits = State::waits;
  if (!state_.compare_exchange_strong(waits, State::joined)) return;
  fusion_->use_device(kinds_.front());
  join();
}

void DeviceOpening::join() {
  for (StageAdapter* stage : stages_) stage->work().set_contexts(kinds_);
}

// Stages that share a program wait for the one that builds it.
void DeviceOpening::build_side_by_side() {
  std::vector<std::jthread> builders;
  for (StageAdapter* stage : stages_) {
    const auto build = [stage, this] {
      timed(stage->name(), [&] { stage->work().build_for(kinds_); });
    };
    try {
      builders.emplace_back(build);
    } catch (const std::system_error&) {
      build();
    }
  }
  timed("passes of several stages", [this] { fusion_->use_device(kinds_.front()); });
}

void DeviceOpening::build() {
  build_side_by_side();
  if (ended_) return;
  join();
  state_ = State::joined;
  joined_();
}

void DeviceOpening::end() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  std::thread opener = std::exchange(opener_, {}), builder = std::exchange(builder_, {});
  lock.unlock();
  if (opener.joinable() && attempt_->abandon()) {
    GST_WARNING("an OpenCL driver does not respond: its thread is detached");
    opener.detach();
  }
  if (opener.joinable()) opener.join();
  if (builder.joinable()) builder.join();
  kinds_.clear();
}

}  // namespace tandem::bin
