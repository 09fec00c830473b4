// SPDX-License-Identifier: LGPL-2.1-or-later
// The protocol against a real server: who holds a job, who loses it, and what is left.
#include <gtest/gtest.h>

#include <thread>

#include "pipelines/jobs/redis/queue.h"
#include "tests/gst/publish/real_broker.h"

namespace tandem::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kClaim = 60s;  // no worker is silent for so long but by fall_silent()
const Analysis kAnalysis{"file:///gate.mp4", "vivid", {}};

class RedisQueue : public testing::Test {
 protected:
  void SetUp() override {
    server_ = real_broker("redis");
    if (!server_) GTEST_SKIP() << "needs redis-server";
    server_->start();
  }
  RedisSettings settings(const std::string& user = {}) const {
    return {parse_queue_location(server_->location(user)), "", "test"};
  }
  Video submit(std::size_t parts) {
    std::vector<Part> all(parts);
    for (std::size_t i = 0; i < parts; ++i) {
      all[i].first_frame = 10 * i;
      if (i + 1 < parts) all[i].frames = 10;
    }
    return SubmitQueue(settings()).submit(kAnalysis, all);
  }
  std::unique_ptr<WorkQueue> worker(const std::string& name) {
    return std::make_unique<WorkQueue>(settings(), name, kClaim);
  }
  // As if the worker that has the job had not spoken for as long as a claim lasts.
  void fall_silent(const std::string& name, const Claim& claim) {
    const auto silent = std::chrono::milliseconds(kClaim).count();
    server_->ask({"XCLAIM", QueueKeys(settings().location.name).jobs, kGroup, name, "0",
                  claim.entry, "IDLE", std::to_string(silent), "JUSTID"});
  }
  static std::string id_of(const std::optional<Claim>& claim) {
    return claim ? shown(read_job(claim->text).id) : "none";
  }

  std::unique_ptr<RealBroker> server_;
};

TEST_F(RedisQueue, GivesEachJobToOneWorker) {
  const Video video = submit(2);
  EXPECT_EQ(video.number, 1U);
  const auto ann = worker("ann"), bob = worker("bob");
  const auto first = ann->take(0ms), second = bob->take(0ms);
  EXPECT_EQ(id_of(first), "1.0");
  EXPECT_EQ(id_of(second), "1.1");
  EXPECT_EQ(read_job(second->text), jobs_of(video)[1]);
  EXPECT_EQ(second->attempt, 1);
  EXPECT_EQ(id_of(ann->take(1ms)), "none");
  EXPECT_EQ(ann->jobs_left(), 2U);
  ann->finish(*first, "1.0", {0, 1, "{}\n"}, {"ann", 1, 0.5, 9});
  EXPECT_EQ(ann->jobs_left(), 1U);
  EXPECT_EQ(ann->results_waiting(), 1U);
  EXPECT_EQ(submit(1).number, 2U);
}

TEST_F(RedisQueue, ASilentWorkerLosesItsJob) {
  submit(1);
  const auto ann = worker("ann"), bob = worker("bob");
  const auto first = ann->take(0ms);
  for (int i = 0; i < 4; ++i) {  // it speaks just in time: nobody gets it
    fall_silent("ann", *first);
    EXPECT_TRUE(ann->keep(*first));
    EXPECT_EQ(id_of(bob->take(0ms)), "none");
  }
  fall_silent("ann", *first);
  const auto second = bob->take(0ms);
  EXPECT_EQ(id_of(second), "1.0");
  EXPECT_EQ(second->attempt, 2);
  EXPECT_FALSE(ann->keep(*first));
  EXPECT_TRUE(bob->keep(*second));
  // It wakes up and is done first: its results are as good, and there is nothing left to keep.
  ann->finish(*first, "1.0", {0, 1, "{}\n"}, {"ann", 1, 0.5, 9});
  EXPECT_FALSE(bob->keep(*second));
  EXPECT_EQ(bob->jobs_left(), 0U);
  bob->finish(*second, "1.0", {0, 1, "{}\n"}, {"bob", 1, 0.5, 9});
  EXPECT_EQ(read_queue_state(settings()).records.done.size(), 1U);
}

TEST_F(RedisQueue, WhatIsGivenBackIsTakenAtOnce) {
  const std::string id = jobs_of(submit(1))[0].id;
  const auto ann = worker("ann"), bob = worker("bob");
  auto claim = ann->take(0ms);
  ann->give_back(*claim, id, {"ann", 0, 0, 0, "the disk is gone"}, true);
  EXPECT_EQ(read_queue_state(settings()).waiting, std::vector<std::string>{id});
  claim = bob->take(0ms);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->attempt, 2);
  EXPECT_EQ(bob->last_reason(id), "the disk is gone");
  bob->give_back(*claim, id, {}, false);  // Ctrl-C is no failure
  claim = ann->take(0ms);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->attempt, 2);
  ann->set_aside(*claim, id, {"ann", 0, 0, 0, "again"});
  const QueueState state = read_queue_state(settings());
  EXPECT_EQ(state.records.failed.at(id).reason, "again");
  EXPECT_EQ(ann->jobs_left(), 0U);
  EXPECT_EQ(retry_failed(settings()), 1U);
  EXPECT_EQ(id_of(bob->take(0ms)), "1.0");
}

TEST_F(RedisQueue, AJobThatAnotherHoldsCannotBeGivenBack) {
  submit(1);
  const auto ann = worker("ann"), bob = worker("bob");
  const auto first = ann->take(0ms);
  fall_silent("ann", *first);
  const auto second = bob->take(0ms);
  ASSERT_TRUE(second);
  ann->give_back(*first, "1.0", {}, false);
  EXPECT_TRUE(bob->keep(*second));
}

// A reply that never came: the server thinks that the worker has the job.
TEST_F(RedisQueue, AWorkerAsksForWhatWasGivenToItUnawares) {
  submit(1);
  EXPECT_EQ(id_of(worker("ann")->take(0ms)), "1.0");
  EXPECT_EQ(id_of(worker("ann")->take(0ms)), "1.0");
}

// More of them than XAUTOCLAIM looks at in one go.
TEST_F(RedisQueue, FindsASilentOneBehindManyThatSpeak) {
  submit(40);
  const auto ann = worker("ann"), bob = worker("bob");
  std::vector<Claim> held;
  for (int i = 0; i < 39; ++i) held.push_back(*ann->take(0ms));
  const auto last = worker("mute")->take(0ms);
  ASSERT_EQ(id_of(last), "1.39");
  fall_silent("mute", *last);
  for (const Claim& claim : held) ann->keep(claim);
  EXPECT_EQ(id_of(bob->take(0ms)), "1.39");
}

TEST_F(RedisQueue, ResultsAreReadOnceAndGo) {
  const Video video = submit(1);
  const std::string id = jobs_of(video)[0].id;
  const auto ann = worker("ann");
  const auto claim = ann->take(0ms);
  const auto gather = std::make_unique<GatherQueue>(settings(), "gather");
  EXPECT_TRUE(gather->enter());
  EXPECT_FALSE(std::make_unique<GatherQueue>(settings(), "other")->enter());
  EXPECT_TRUE(gather->read(1ms).empty());
  ann->publish(id, {0, 2, "{}\n{}\n"}, {});
  ann->finish(*claim, id, {2, 1, "{}\n"}, {"ann", 3, 0.5, 9});
  const std::vector<ResultEntry> entries = gather->read(0ms);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[1].job, id);
  EXPECT_EQ(entries[1].lines.first_frame, 2U);
  EXPECT_EQ(entries[1].lines.frames, 1U);
  EXPECT_EQ(entries[1].lines.text, "{}\n");
  EXPECT_EQ(ann->results_waiting(), 2U);
  gather->remove({entries[0].entry, entries[1].entry});
  EXPECT_EQ(ann->results_waiting(), 0U);
  EXPECT_TRUE(gather->read(0ms).empty());
  EXPECT_EQ(gather->records().done.at(id).frames, 3U);
  gather->forget(video);
  EXPECT_TRUE(gather->videos().videos.empty());
  EXPECT_TRUE(gather->records().done.empty());
  gather->leave();
  EXPECT_TRUE(std::make_unique<GatherQueue>(settings(), "other")->enter());
}

TEST_F(RedisQueue, AWorkerThatLeavesIsForgotten) {
  submit(1);
  const auto ann = worker("ann"), bob = worker("bob");
  ann->take(0ms);
  bob->take(1ms);
  bob->leave();
  ann->leave();  // it holds a job, which would go with it
  ASSERT_EQ(read_queue_state(settings()).workers.size(), 1U);
  EXPECT_EQ(read_queue_state(settings()).workers[0].name, "ann");
}

// One that stood still and wakes up: its key is gone, or another's.
TEST_F(RedisQueue, WhoLostItsTurnChangesNothing) {
  const Video video = submit(1);
  const auto ann = worker("ann");
  ann->finish(*ann->take(0ms), jobs_of(video)[0].id, {0, 1, "{}\n"}, {"ann", 1, 0.5, 9});
  const auto first = std::make_unique<GatherQueue>(settings(), "first");
  EXPECT_TRUE(first->enter());
  const std::vector<ResultEntry> entries = first->read(0ms);
  ASSERT_EQ(entries.size(), 1U);
  server_->ask({"DEL", QueueKeys(settings().location.name).gather});
  EXPECT_THROW(first->remove({entries[0].entry}), RedisError);
  const auto second = std::make_unique<GatherQueue>(settings(), "second");
  EXPECT_TRUE(second->enter());
  const auto again = std::make_unique<GatherQueue>(settings(), "first");
  EXPECT_FALSE(again->enter());
  EXPECT_THROW(again->remove({entries[0].entry}), RedisError);
  EXPECT_THROW(std::make_unique<GatherQueue>(settings(), "first")->put_back(jobs_of(video)[0]),
               RedisError);
  EXPECT_THROW(std::make_unique<GatherQueue>(settings(), "first")->forget(video), RedisError);
  EXPECT_EQ(ann->results_waiting(), 1U);
  EXPECT_EQ(ann->jobs_left(), 0U);
  EXPECT_EQ(second->videos().videos.size(), 1U);
}

TEST_F(RedisQueue, WhatCannotBeReadIsNamedAndPassedOver) {
  const Video video = submit(2);
  const QueueKeys keys(settings().location.name);
  const std::string first = jobs_of(video)[0].id, second = jobs_of(video)[1].id;
  server_->ask({"HSET", keys.videos, "7", "no video"});
  server_->ask({"HSET", keys.videos, "8", write_video(video)});
  server_->ask({"HSET", keys.done, first, std::string(1000, '[')});
  server_->ask({"HSET", keys.failed, second, "{\"frames\":-1}"});
  server_->ask({"HSET", keys.progress, second, "1"});
  server_->ask({"XADD", keys.results, "*", "job", first, "first", "one", "lines", "x"});
  server_->ask({"XADD", keys.results, "*", "x", "y"});
  const auto gather = std::make_unique<GatherQueue>(settings(), "gather");
  const QueueVideos videos = gather->videos();
  ASSERT_EQ(videos.videos.size(), 1U);
  EXPECT_EQ(videos.problems.size(), 2U);
  EXPECT_NE(videos.problems.at("8").find("number of another"), std::string::npos);
  const JobRecords records = gather->records();
  EXPECT_TRUE(records.done.empty());
  EXPECT_NE(records.damaged.at(first).find("levels deep"), std::string::npos);
  EXPECT_NE(records.failed.at(second).reason, "");
  for (const ResultEntry& entry : gather->read(0ms)) EXPECT_NE(entry.problem, "");
  const QueueState state = read_queue_state(settings());
  EXPECT_EQ(state.videos.problems.size(), 2U);
  server_->ask({"HSET", keys.failed, "entry 1-0", write_record({"ann", 0, 0, 0, "is not JSON"})});
  EXPECT_EQ(retry_failed(settings()), 1U);
  EXPECT_TRUE(read_queue_state(settings()).records.failed.empty());
}

// Those that hold nothing go; one that holds a job keeps it.
TEST_F(RedisQueue, DeadWorkersAreForgotten) {
  submit(1);
  constexpr auto kShort = 50ms;
  const auto ann = std::make_unique<WorkQueue>(settings(), "ann", kShort);
  ASSERT_TRUE(ann->take(0ms));
  EXPECT_FALSE(std::make_unique<WorkQueue>(settings(), "dead", kClaim)->take(1ms));
  while (read_queue_state(settings()).workers.at(1).idle_s < 0.1) std::this_thread::sleep_for(10ms);
  const auto bob = std::make_unique<WorkQueue>(settings(), "bob", kShort);
  const std::vector<WorkerState> left = read_queue_state(settings()).workers;
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].name, "ann");
  EXPECT_EQ(id_of(bob->take(0ms)), "1.0");
}

TEST_F(RedisQueue, ErrorsSayWhatToDoAndNoPassword) {
  const auto error = [&](const RedisSettings& wrong) {
    try {
      RedisConnection connection(wrong);
      connection.ask({"XLEN", "a string"});
    } catch (const RedisError& e) {
      EXPECT_EQ(std::string(e.what()).find("s3cret"), std::string::npos) << e.what();
      return std::string(e.hopeless ? "hopeless: " : "") + e.what();
    }
    return std::string();
  };
  server_->ask({"SET", "a string", "x"});
  EXPECT_NE(error(settings()).find("in use for other data"), std::string::npos);
  EXPECT_NE(error(settings("ann:s3cret")).find("hopeless: the server reports: WRONGPASS"),
            std::string::npos);
  server_->kill();
  EXPECT_EQ(error(settings("ann:s3cret")).find("hopeless"), std::string::npos);
}

}  // namespace
}  // namespace tandem::test
