// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/queue_summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tandem::test {
namespace {

QueueState state() {
  QueueState state;
  state.now_s = 1000;
  state.videos.videos = {
      {4, "id", {"http://ann:secret@server/gate.mp4", "vivid", {}}, {{}, {}, {}, {}, {}}}};
  state.records.done = {{"4.0@id", {"one", 300, 10, 990}}, {"3.9@id", {"one", 999, 1, 100}}};
  state.records.failed = {{"4.3@id", {"two", 0, 1, 999, "the disk is gone"}}};
  state.running = {{"4.1@id", {"one", 100, 10, 1000}}};
  state.waiting = {"4.2@id"};
  state.workers = {{"one", 1, 0.25}, {"two", 0, 70}};
  state.results_waiting = 17;
  return state;
}

TEST(QueueSummary, CountsJobsAndFrames) {
  const QueueSummary summary = summarise(state());
  ASSERT_EQ(summary.videos.size(), 1U);
  const VideoSummary& video = summary.videos[0];
  EXPECT_EQ(video.jobs, 5U);
  EXPECT_EQ(video.done, 1U);
  EXPECT_EQ(video.running, 1U);
  EXPECT_EQ(video.waiting, 1U);
  EXPECT_EQ(video.failed, 1U);
  EXPECT_EQ(video.frames, 400U);
}

TEST(QueueSummary, TheRateIsThatOfTheLastMinute) {
  QueueState state;
  EXPECT_EQ(summarise(state).frames_per_s, 0);
  state.now_s = 1000;
  state.records.done = {{"1.0", {"one", 300, 10, 990}}};
  EXPECT_DOUBLE_EQ(summarise(state).frames_per_s, 15);  // 300 in the 20 s since it began
  state.running = {{"1.1", {"one", 100, 10, 1000}}};
  EXPECT_DOUBLE_EQ(summarise(state).frames_per_s, 20);
  state.records.done = {{"1.0", {"one", 600, 120, 970}}};  // half a minute of it is in the window
  EXPECT_DOUBLE_EQ(summarise(state).frames_per_s, (30 * 5 + 100) / 60.0);
}

TEST(QueueSummary, IsTold) {
  const QueueState now = state();
  const std::string text = status_text(now, summarise(now));
  for (const char* part : {"http://ann:...@server/gate.mp4", "failed 4.3: the disk is gone (two)",
                           "worker one: 4.1, silent for 0.2 s", "worker two: -", "17 entries"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const std::string json_text = status_json(now, summarise(now));
  const auto json = nlohmann::json::parse(json_text);
  EXPECT_EQ(json.at("videos")[0].at("waiting"), 1);
  EXPECT_EQ(json.at("failed")[0].at("reason"), "the disk is gone");
  EXPECT_EQ(json.at("workers")[1].at("silent_s"), 70);
  EXPECT_EQ((text + json_text).find("secret"), std::string::npos);
}

TEST(QueueSummary, ControlsNoTerminal) {
  QueueState now;
  const std::string bad =
      "\x1b]0;owned\x07\xc2\x9b"
      "2J\r\n";
  now.videos.videos = {{1, bad, {bad, bad, {}}, {{}}}};
  now.videos.problems = {{bad, bad}};
  now.records.failed = {{bad, {bad, 0, 0, 0, bad}}};
  now.records.damaged = {{bad, bad}};
  now.running = {{bad, {bad, 0, 0, 0}}};
  now.workers = {{bad, 1, 1}};
  for (const std::string& text :
       {status_text(now, summarise(now)), status_json(now, summarise(now))}) {
    for (const char c : {'\x1b', '\x07', '\r', '\xc2'}) EXPECT_EQ(text.find(c), text.npos) << text;
  }
}

}  // namespace
}  // namespace tandem::test
