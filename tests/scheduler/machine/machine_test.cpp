// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include "scheduler/learn/run/neighbourhood.h"

namespace tandem {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Bins on a machine of 8 cores, whose threads take a tenth of a core where the source is slow.
class MachineTest : public testing::Test {
 protected:
  struct Bin {
    explicit Bin(const std::shared_ptr<Machine>& machine)
        : seat(machine, [this] { return cpu_s; }) {}
    double cpu_s = 0, cores = 8;
    bool starved = false, plays = true;
    Seat seat;
  };

  void play(std::initializer_list<Bin*> bins, double for_s) {
    for (const uint64_t until = now_ns_ + static_cast<uint64_t>(for_s * kSecond);
         now_ns_ < until;) {
      now_ns_ += kSecond / 100;
      for (Bin* bin : bins) {
        if (!bin->plays) continue;
        bin->cpu_s += 0.01 * bin->cores;
        bin->seat.frame_done(now_ns_, bin->starved);
      }
    }
  }

  const std::shared_ptr<Machine> machine_ = std::make_shared<Machine>(8);
  uint64_t now_ns_ = kSecond;
};

TEST_F(MachineTest, OneBinHasAllOfIt) {
  Bin bin(machine_);
  play({&bin}, 2);
  EXPECT_EQ(bin.seat.share(), (Machine::Share{1, 1, 1}));
}

TEST_F(MachineTest, BinsThatAreKeptBusyShareEqually) {
  Bin a(machine_);
  const uint64_t epoch = a.seat.epoch();
  Bin b(machine_), c(machine_), d(machine_);
  EXPECT_NE(a.seat.epoch(), epoch);
  EXPECT_EQ(a.seat.share(), (Machine::Share{0.25, 4, 4})) << "before their first frames";
  play({&a, &b, &c, &d}, 2);
  EXPECT_EQ(a.seat.share(), (Machine::Share{0.25, 4, 4}));
  const uint64_t steady = a.seat.epoch();
  play({&a, &b, &c, &d}, 2);
  EXPECT_EQ(a.seat.epoch(), steady) << "nothing changed";
}

TEST_F(MachineTest, ABinThatHasLeftTakesNoTurn) {
  Bin a(machine_), b(machine_);
  a.seat.leave();
  EXPECT_FALSE(a.seat.take_turn(now_ns_));
  EXPECT_TRUE(b.seat.take_turn(now_ns_));
  b.seat.leave();
  EXPECT_FALSE(a.seat.another_trains());
}

TEST_F(MachineTest, ABinThatEndsLeavesItsPartToTheOthers) {
  Bin a(machine_);
  {
    Bin b(machine_);
    play({&a, &b}, 2);
    EXPECT_EQ(a.seat.share().at_work, 2);
  }
  EXPECT_EQ(a.seat.share(), (Machine::Share{1, 1, 1}));
}

TEST_F(MachineTest, ABinThatPausesLeavesItsPartMeanwhile) {
  Bin a(machine_), b(machine_);
  play({&a, &b}, 2);
  b.plays = false;
  play({&a, &b}, 2);
  EXPECT_EQ(a.seat.share().at_work, 1);
  EXPECT_EQ(a.seat.share().bins, 2) << "its frames are still in memory";
  b.plays = true;
  play({&a, &b}, 2);
  EXPECT_EQ(a.seat.share().at_work, 2);
}

TEST_F(MachineTest, ABinOfSlowFramesIsNotTakenForOneThatPauses) {
  Bin fast(machine_), slow(machine_);
  const auto play_with_frames_of_3_s = [&](int frames) {
    for (int i = 0; i < frames; ++i) {
      play({&fast}, 3);
      slow.cpu_s += 3 * slow.cores;
      slow.seat.frame_done(now_ns_, false);
    }
  };
  play_with_frames_of_3_s(3);
  EXPECT_TRUE(slow.seat.take_turn(now_ns_));
  const uint64_t epoch = fast.seat.epoch();
  play_with_frames_of_3_s(5);
  EXPECT_EQ(fast.seat.epoch(), epoch) << "its part is taken away and given back";
  play({&fast}, 2.5);
  EXPECT_FALSE(fast.seat.take_turn(now_ns_)) << "the turn was taken from a bin that trains";
  play({&fast}, 12);
  EXPECT_EQ(fast.seat.share().at_work, 1) << "now it pauses";
}

TEST_F(MachineTest, ASlowSourceTakesWhatItUses) {
  Bin fast(machine_), camera(machine_);
  camera.starved = true;
  camera.cores = 1.9;
  play({&fast, &camera}, 3);
  EXPECT_EQ(fast.seat.share(), (Machine::Share{6.0 / 8, 1, 2}));
  EXPECT_EQ(camera.seat.share().at_work, 2) << "what it could have, were its source faster";
  camera.starved = false;
  play({&fast, &camera}, 2);
  EXPECT_EQ(fast.seat.share().at_work, 2);
}

TEST_F(MachineTest, OneBinTrainsAtATime) {
  Bin a(machine_), b(machine_);
  play({&a, &b}, 1);
  EXPECT_TRUE(a.seat.take_turn(now_ns_));
  EXPECT_TRUE(a.seat.take_turn(now_ns_)) << "its own";
  EXPECT_FALSE(b.seat.take_turn(now_ns_));
  EXPECT_TRUE(b.seat.another_trains());
  b.seat.end_turn();  // not its own
  EXPECT_FALSE(b.seat.take_turn(now_ns_));
  const uint64_t epoch = b.seat.epoch();
  a.seat.end_turn();
  EXPECT_NE(b.seat.epoch(), epoch) << "who waits looks again";
  EXPECT_TRUE(b.seat.take_turn(now_ns_));
}

TEST_F(MachineTest, WhoGetsNoFramesLosesItsTurn) {
  Bin a(machine_), b(machine_);
  play({&a, &b}, 1);
  ASSERT_TRUE(a.seat.take_turn(now_ns_));
  a.plays = false;
  play({&a, &b}, 2);
  EXPECT_TRUE(b.seat.take_turn(now_ns_));
}

TEST_F(MachineTest, ProcessorTimeIsCountedForEachBin) {
  Bin a(machine_);
  a.cpu_s = 3;
  {
    Bin b(machine_);
    b.cpu_s = 4;
    EXPECT_DOUBLE_EQ(a.seat.cpu_s_of_others(), 4);
    EXPECT_DOUBLE_EQ(b.seat.cpu_s_of_others(), 3);
  }
  EXPECT_DOUBLE_EQ(a.seat.cpu_s_of_others(), 4) << "it never falls";
}

TEST(Neighbourhood, IsOneForAllOfTheProcess) {
  const auto one = Neighbourhood::of_process();
  EXPECT_EQ(one, Neighbourhood::of_process());
}

}  // namespace
}  // namespace tandem
