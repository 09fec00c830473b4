// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/learning/learner.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <latch>
#include <new>
#include <vector>

namespace {
thread_local int allocations = 0;
}

// Not inlined: compilers warn of what malloc() made and delete takes.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace tandem::bin {
namespace {

constexpr uint64_t kCapacity = FrameRing::kCapacity;

FrameTimes frame(uint64_t number) {
  FrameTimes times;
  times.begin_ns = number;
  return times;
}

std::vector<uint64_t> numbers(uint64_t first, uint64_t last) {
  std::vector<uint64_t> all;
  for (uint64_t number = first; number < last; ++number) all.push_back(number);
  return all;
}

TEST(FrameRing, KeepsTheOrderWhereverItWraps) {
  FrameRing ring;
  uint64_t pushed = 0, taken = 0;
  for (const uint64_t waiting : {uint64_t{1}, kCapacity, kCapacity / 2 + 1, kCapacity - 1}) {
    while (ring.waiting() < waiting) {
      ASSERT_TRUE(ring.push(frame(pushed), static_cast<uint32_t>(pushed)));
      ++pushed;
    }
    for (; ring.waiting() > waiting / 3; ring.pop(), ++taken) {
      ASSERT_EQ(ring.front()->times.begin_ns, taken);
      ASSERT_EQ(ring.front()->device_stages, taken);
    }
  }
  EXPECT_GT(pushed, 2 * kCapacity);
  EXPECT_EQ(ring.pushed(), pushed);
}

TEST(FrameRing, TakesNoMoreThanItHolds) {
  FrameRing ring;
  EXPECT_EQ(ring.front(), nullptr);
  for (uint64_t i = 0; i < kCapacity; ++i) {
    EXPECT_FALSE(ring.full());
    EXPECT_TRUE(ring.push(frame(i), 0));
  }
  EXPECT_TRUE(ring.full());
  EXPECT_FALSE(ring.push(frame(kCapacity), 0));
  EXPECT_EQ(ring.front()->times.begin_ns, 0u);
  ring.pop();
  EXPECT_TRUE(ring.push(frame(kCapacity), 0));
  EXPECT_EQ(ring.front()->times.begin_ns, 1u);
}

/// A learner that keeps what it takes, once it is let.
class Pupil {
 public:
  ~Pupil() { let(); }

  void hand_over(uint64_t first, uint64_t last) {
    for (uint64_t number = first; number < last; ++number, ++handed_over_)
      learner_.hand_over(frame(number), 0);
  }
  void let() { lets_.test_and_set(), lets_.notify_all(); }
  void wait_until_called() { called_.wait(false); }
  void wait_for(uint64_t frames) const {
    for (uint64_t now = 0; (now = learnt_) < frames;) learnt_.wait(now);
  }
  /// After end().
  const std::vector<uint64_t>& taken() const { return taken_; }
  uint64_t handed_over() const { return handed_over_; }
  uint64_t learnt() const { return learnt_; }
  Learner& learner() { return learner_; }

 private:
  void learn() {
    called_.test_and_set();
    called_.notify_all();
    lets_.wait(false);
    learner_.drain([this](const FrameFacts& facts) {
      taken_.push_back(facts.times.begin_ns);
      ++learnt_;
    });
    learnt_.notify_all();
  }

  std::vector<uint64_t> taken_;
  std::atomic<uint64_t> handed_over_{0}, learnt_{0};
  std::atomic_flag lets_, called_;
  Learner learner_{[this] { learn(); }};
};

TEST(Learner, LearnsAllInOrderBesideTheThreadThatPushes) {
  constexpr uint64_t kFrames = 20 * kCapacity;
  Pupil pupil;
  pupil.let();
  pupil.hand_over(0, kFrames);
  pupil.wait_for(kFrames);
  pupil.learner().end();
  EXPECT_EQ(pupil.taken(), numbers(0, kFrames));
}

TEST(Learner, WakesUpForASingleFrame) {
  Pupil pupil;
  pupil.let();
  for (uint64_t number = 0; number < 20; ++number) {
    pupil.hand_over(number, number + 1);
    pupil.wait_for(number + 1);
    if (number % 2 == 0) pupil.learner().wait_for_learn();
  }
}

// Without a bound a failure would be a timeout of the test.
TEST(Learner, WakesUpAfterACallThatCameLate) {
  constexpr std::chrono::milliseconds kAsleep{10};  // ten times its rest
  Pupil pupil;
  pupil.let();
  for (uint64_t number = 0; number < 5; ++number) {
    pupil.hand_over(number, number + 1);
    for (int i = 0; i < 1000 && pupil.learnt() <= number; ++i) std::this_thread::sleep_for(kAsleep);
    ASSERT_EQ(pupil.learnt(), number + 1) << "the thread sleeps on";
    std::this_thread::sleep_for(kAsleep);
    pupil.learner().wake();
    std::this_thread::sleep_for(kAsleep);
  }
}

TEST(Learner, HandingOverAllocatesNothing) {
  Pupil pupil;
  pupil.let();
  const int before = allocations;
  pupil.hand_over(0, 3 * kCapacity);
  EXPECT_EQ(allocations, before);
  pupil.wait_for(3 * kCapacity);
}

TEST(Learner, AFullRingWaitsAndLosesNothing) {
  constexpr uint64_t kFrames = 2 * kCapacity;
  Pupil pupil;
  std::thread pushes([&] { pupil.hand_over(0, kFrames); });
  pupil.wait_until_called();
  while (pupil.handed_over() < kCapacity) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) std::this_thread::yield();
  EXPECT_EQ(pupil.handed_over(), kCapacity);
  pupil.let();
  pushes.join();
  pupil.wait_for(kFrames);
  pupil.learner().end();
  EXPECT_EQ(pupil.taken(), numbers(0, kFrames));
}

TEST(Learner, NobodyWaitsOnceItIsAborted) {
  Pupil pupil;
  std::thread pushes([&] { pupil.hand_over(0, kCapacity + 10); });
  pupil.wait_until_called();
  while (pupil.handed_over() < kCapacity) std::this_thread::yield();
  pupil.learner().abort();
  pupil.learner().wait_for_learn();
  pushes.join();
  pupil.learner().resume();
  pupil.let();
  pupil.wait_for(kCapacity);
  pupil.hand_over(kCapacity + 10, kCapacity + 20);
  pupil.wait_for(kCapacity + 10);
  pupil.learner().end();
  std::vector<uint64_t> expected = numbers(0, kCapacity);
  for (const uint64_t number : numbers(kCapacity + 10, kCapacity + 20)) expected.push_back(number);
  EXPECT_EQ(pupil.taken(), expected);
}

TEST(Learner, IsCalledAfterFramesThatOthersHaveDrained) {
  std::atomic<int> calls{0}, drained{0};
  std::atomic_flag go;
  std::mutex mutex;
  Learner learner([&] {
    go.wait(false);
    const std::lock_guard lock(mutex);
    learner.drain([](const FrameFacts&) {});
    ++calls;
    calls.notify_all();
  });
  learner.hand_over(frame(0), 0);
  {
    const std::lock_guard lock(mutex);
    learner.drain([&](const FrameFacts&) { ++drained; });
  }
  go.test_and_set();
  go.notify_all();
  calls.wait(0);
  EXPECT_EQ(drained, 1);
}

TEST(Learner, EndsWithFramesThatNobodyTook) {
  std::atomic<int> calls{0};
  std::latch handed_over(1);
  Learner learner([&] {
    handed_over.wait();
    ++calls;
  });
  for (uint64_t number = 0; number < 10; ++number) learner.hand_over(frame(number), 0);
  handed_over.count_down();
  learner.end();
  const int at_the_end = calls;
  learner.hand_over(frame(10), 0);
  learner.end();
  int left = 0;
  learner.drain([&](const FrameFacts&) { ++left; });
  EXPECT_EQ(left, 11);
  EXPECT_EQ(calls, at_the_end);
}

}  // namespace
}  // namespace tandem::bin
