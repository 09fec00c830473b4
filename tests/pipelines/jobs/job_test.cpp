// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/job.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tandem::test {
namespace {

const Analysis kAnalysis{
    "file:///videos/a%20gate.mp4", "vivid", {{"scales", "3"}, {"size", "2x1"}}};
const Part kPart{25, 50, 1'000'000'000, 3'000'000'000, 920'000'000};

TEST(Jobs, AreReadAsTheyWereWritten) {
  const Job part{"7.1", kAnalysis, kPart}, whole{"8.0", {"file:///b", "tracking", {}}, {}};
  EXPECT_EQ(read_job(write_job(part)), part);
  EXPECT_EQ(read_job(write_job(whole)), whole);
  const Video video{7, 1'800'000'000, kAnalysis, {Part{0, 25, std::nullopt, 5, 0}, kPart}};
  EXPECT_EQ(read_video(write_video(video)), video);
  EXPECT_EQ(jobs_of(video).at(1), part);
}

TEST(Jobs, WhatIsWrongIsSaid) {
  const std::string good = write_job({"7.1", kAnalysis, kPart});
  const struct {
    const char *from, *to, *said;
  } cases[] = {
      {"tandem-job", "tandem-jog", "is no tandem-job"},
      {"\"schema_version\":1", "\"schema_version\":2", "newer version"},
      {"\"frames\":50", "\"frames\":-50", "'part.frames' is no whole number"},
      {"\"first_frame\":25", "\"first_frame\":null", "'part.first_frame' is null"},
      {"\"scales\":\"3\"", "\"scales\":3", "'properties.scales'"},
      {"\"id\"", "\"ID\"", "'id' is missing"},
      {"{", "", "is not JSON"},
  };
  for (const auto& [from, to, said] : cases) {
    SCOPED_TRACE(to);
    std::string text = good;
    text.replace(text.find(from), std::string(from).size(), to);
    try {
      read_job(text);
      ADD_FAILURE() << "was taken";
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find(said), std::string::npos) << e.what();
    }
  }
}

TEST(Jobs, OnlyFramesThatStandAloneAreCutApart) {
  for (const char* name : {"vivid", "srad", "scene"}) EXPECT_TRUE(frames_are_independent(name));
  for (const char* name : {"tracking", "", "other"}) EXPECT_FALSE(frames_are_independent(name));
}

}  // namespace
}  // namespace tandem::test
