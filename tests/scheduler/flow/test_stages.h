// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "scheduler/flow/executor.h"
#include "scheduler/flow/intervals.h"

namespace tandem {

constexpr int kRows = 37;

struct TestItem : Item {
  TestItem() { leads.fill(1); }
  void waits(int stage, int) override { waited_at = stage; }

  std::atomic<int> waited_at{-1};
  int id = 0;
  std::array<std::array<std::atomic<int>, kRows>, kMaxStages> cpu_rows{};  // times computed
  std::array<int, kMaxStages> device{};                                    // times enqueued
  std::array<int, kMaxStages> finished{};
  std::array<int, kMaxStages> leads{};  // of each stage: how many it was asked for
  std::array<int, 2> copies{};          // to the device, to the host
};

/// What the stages of one test share: who is where, and what shall go wrong.
struct World {
  std::array<std::atomic<int>, kMaxDevices * kMaxLanes> on_device{};
  int devices = 1;
  std::array<int, kMaxDevices> kind{};                    // of each
  std::array<std::atomic<int>, kMaxDevices> frames_on{};  // waits of each device
  std::atomic<int> failing{-1};                           // every wait for this device fails

  std::atomic<int> sent{0}, most_sent{0};  // started and not waited for
  std::atomic<int> fail_wait_at{-1};       // the wait with this number fails
  std::atomic<int> waits{0};
  std::atomic<int> fail_item{-1};  // prepare of this item fails for good ...
  int fails_in = 1;                // ... in this stage
  std::atomic<int> held{0};        // so many of the first items wait, in their last round ...
  int held_in = 0;                 // ... in this stage
  std::atomic<int> passed{0};      // items that stage 1 is done with
  bool medium = false;             // all items run under medium grain: one has the cores
  std::vector<int> on_cores;       // which, once a stage; kept when `medium`
};

class TestStage final : public Stage {
 public:
  TestStage(World& world, int index, bool serial = false, bool has_device = true,
            bool has_cpu = true)
      : world_(world), index_(index), serial_(serial), has_device_(has_device), has_cpu_(has_cpu) {}

  std::string name() const override { return "stage" + std::to_string(index_); }
  bool serial() const override { return serial_; }
  bool has_device(int kind) const override { return has_device_ && (kind == 0 || !serial_); }
  bool has_cpu() const override { return has_cpu_; }

  void lead(Item& base, int count) override {
    static_cast<TestItem&>(base).leads[index_] = count;
    most_led_ = std::max(most_led_.load(), count);
  }
  Status prepare(Item& base) override {
    auto& item = static_cast<TestItem&>(base);
    if (item.id == world_.fail_item && index_ == world_.fails_in)
      return Status::failed("as the test wants");
    EXPECT_EQ(item.left_out >> index_ & 1, 0u) << "item " << item.id << " was to be left out";
    if (index_ > 0 && (item.left_out >> (index_ - 1) & 1) == 0) {
      // Within a run on the device stages finish together, but they start one after the other.
      EXPECT_TRUE(item.finished[index_ - 1] || item.device[index_ - 1])
          << "item " << item.id << " skipped a stage";
    }
    return {};
  }
  Status begin(Item& base) override {
    EXPECT_TRUE(has_cpu_);
    auto& item = static_cast<TestItem&>(base);
    for (int k = index_; k < index_ + item.leads[index_]; ++k)
      for (auto& row : item.cpu_rows[k]) row = 0;
    return {};
  }
  int rows(const Item&) const override { return kRows; }
  void compute(Item& base, int first, int last) override {
    auto& item = static_cast<TestItem&>(base);
    while (index_ == world_.held_in && in_last_round(item) && item.id < world_.held)
      std::this_thread::yield();
    if (world_.medium && first == 0) world_.on_cores.push_back(item.id);
    for (int k = index_; k < index_ + item.leads[index_]; ++k)
      for (int y = first; y < last; ++y) ++item.cpu_rows[k][y];
  }
  Status enqueue(Item& base, bool) override {
    auto& item = static_cast<TestItem&>(base);
    for (int k = index_; k < index_ + item.leads[index_]; ++k) ++item.device[k];
    return {};
  }
  Status enqueue_copy(Item& base, bool to_host) override {
    ++static_cast<TestItem&>(base).copies[to_host];
    return {};
  }
  Status finish(Item& base, bool on_device) override {
    auto& item = static_cast<TestItem&>(base);
    for (int k = index_; k < index_ + item.leads[index_]; ++k) {
      if (!on_device) {
        for (const auto& row : item.cpu_rows[k]) EXPECT_EQ(row, 1);
      }
      item.finished[k] = 1;
    }
    if (index_ == 1) ++world_.passed;
    if (serial_) {
      EXPECT_GE(item.sequence, next_) << "a serial stage saw frames out of order";
      next_ = item.sequence + (in_last_round(item) ? 1 : 0);
    }
    return {};
  }

  uint64_t next_ = 0;
  std::atomic<int> most_led_{0};

 private:
  static bool in_last_round(const Item& item) { return item.round + 1 == item.repeat.rounds; }

  World& world_;
  const int index_;
  const bool serial_, has_device_, has_cpu_;
};

class TestDevice final : public Device {
 public:
  explicit TestDevice(World& world) : world_(world) {}
  int devices() const override { return world_.devices; }
  int kind(int device) const override { return world_.kind[device]; }
  Status start(int) override {
    int most = world_.most_sent;
    const int sent = ++world_.sent;
    while (sent > most && !world_.most_sent.compare_exchange_weak(most, sent)) {
    }
    return {};
  }
  Status wait(int lane) override {
    EXPECT_EQ(++world_.on_device[lane], 1) << "two workers on one lane";
    std::this_thread::yield();
    --world_.on_device[lane];
    --world_.sent;
    const int device = lane % world_.devices;
    ++world_.frames_on[device];
    return world_.waits++ == world_.fail_wait_at || device == world_.failing
               ? Status::device_failed("as the test wants")
               : Status();
  }

 private:
  World& world_;
};

/// Sends items through an executor, one thread in and one out, as tandembin does.
class Pump {
 public:
  explicit Pump(Executor& executor) : executor_(executor), consumer_([this] { consume(); }) {}
  ~Pump() { stop(); }

  void send(int count) {
    for (int i = 0; i < count; ++i) {
      items_.emplace_back();
      items_.back().id = sent_++;
      items_.back().repeat = repeat_;
      items_.back().fused = fused_;
      items_.back().left_out = intervals_.next();
      if (!executor_.submit(&items_.back())) {
        ++refused_;
        return;
      }
    }
  }
  void stop() {
    if (!consumer_.joinable()) return;
    executor_.drain();
    executor_.abort();
    consumer_.join();
  }

  Repeat repeat_;
  Fused fused_;
  Intervals intervals_;
  std::deque<TestItem> items_;
  std::vector<int> received_;
  int sent_ = 0, refused_ = 0, failed_ = 0;

 private:
  void consume() {
    while (Item* item = executor_.take()) {
      received_.push_back(static_cast<TestItem*>(item)->id);
      failed_ += !item->status.ok();
      executor_.release();
    }
  }

  Executor& executor_;
  std::thread consumer_;
};

/// An executor with its stages, for the tests that end with it.
class ExecutorTest : public testing::Test {
 protected:
  std::unique_ptr<Executor> make(int stages, int cores, int serial_stage = -1, int cpu_only = -1) {
    for (int k = 0; k < stages; ++k) {
      stages_.push_back(std::make_unique<TestStage>(world_, k, k == serial_stage, k != cpu_only,
                                                    k != device_only_));
      pointers_.push_back(stages_.back().get());
    }
    return std::make_unique<Executor>(pointers_, &device_, cores,
                                      [this](const std::string&, int left) {
                                        ++device_failures_;
                                        devices_left_ = left;
                                      });
  }

  /// That items begin under it once what is under way is done: threads may wait for a core first.
  static void expect_to_run(const Executor& executor, const Configuration& wanted) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (executor.configuration() != wanted && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    EXPECT_EQ(to_string(executor.configuration()), to_string(wanted));
  }

  /// Stops an executor so long after a source began to send it `count` items, and ends with it.
  void stop_amid(std::unique_ptr<Executor> executor, int count, std::chrono::microseconds after) {
    std::deque<TestItem> items(count);
    std::thread source([&] {
      for (TestItem& item : items)
        if (!executor->submit(&item)) return;
    });
    std::this_thread::sleep_for(after);
    executor->abort();
    source.join();
    while (executor->take()) executor->release();
    executor->rest();
    executor.reset();
    stages_.clear();
    pointers_.clear();
  }

  static void expect_all_in_order(const Pump& pump) {
    ASSERT_EQ(static_cast<int>(pump.received_.size()), pump.sent_);
    for (int i = 0; i < pump.sent_; ++i) ASSERT_EQ(pump.received_[i], i);
  }

  World world_;
  int device_only_ = -1;  ///< the stage that has no CPU implementation
  TestDevice device_{world_};
  std::vector<std::unique_ptr<TestStage>> stages_;
  std::vector<Stage*> pointers_;
  std::atomic<int> device_failures_{0}, devices_left_{-1};
};

}  // namespace tandem
