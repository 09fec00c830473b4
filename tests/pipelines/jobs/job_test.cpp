// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/job.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tandem::test {
namespace {

const Analysis kAnalysis{
    "file:///videos/a%20gate.mp4", "vivid", {{"scales", "3"}, {"size", "2x1"}}};
const std::string kIdentity = "0123456789abcdef0123456789abcdef";
const Part kPart{25, 50, 1'000'000'000, 3'000'000'000, 920'000'000};

TEST(Jobs, AreReadAsTheyWereWritten) {
  const Job part{"7.1@" + kIdentity, kAnalysis, kPart},
      whole{"8.0@" + kIdentity, {"file:///b", "tracking", {}}, {}};
  EXPECT_EQ(read_job(write_job(part)), part);
  EXPECT_EQ(read_job(write_job(whole)), whole);
  const Video video{7, kIdentity, kAnalysis, {Part{0, 25, std::nullopt, 5, 0}, kPart}};
  EXPECT_EQ(read_video(write_video(video)), video);
  EXPECT_EQ(jobs_of(video).at(1), part);
}

TEST(Jobs, WhatIsWrongIsSaid) {
  const std::string good = write_job({"7.1@" + kIdentity, kAnalysis, kPart});
  const struct {
    const char *from, *to, *said;
  } cases[] = {
      {"tandem-job", "tandem-jog", "is not a tandem-job"},
      {"\"schema_version\":1", "\"schema_version\":2", "newer version"},
      {"\"frames\":50", "\"frames\":-50", "'part.frames' is not a whole number"},
      {"\"first_frame\":25", "\"first_frame\":null", "'part.first_frame' is null"},
      {"\"scales\":\"3\"", "\"scales\":3", "'properties.scales'"},
      {"\"frames\":50", "\"frames\":0", "'part.frames' is 0"},
      {"\"seek_ns\":920000000", "\"seek_ns\":9007199254740993", "'part.seek_ns' is not a whole"},
      {"\"id\"", "\"ID\"", "'id' is missing"},
      {"7.1@", "../7.1@", "'id' does not name a part of a video"},
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

TEST(Jobs, AreBounded) {
  const Job good{"7.1@" + kIdentity, kAnalysis, kPart};
  Job job = good;
  job.analysis.uri.assign(100'000, 'a');
  EXPECT_THROW(read_job(write_job(job)), std::runtime_error);
  job = good;
  job.analysis.properties["size"].assign(10'000, '1');
  EXPECT_THROW(read_job(write_job(job)), std::runtime_error);
  job = good;
  for (int i = 0; i < 40; ++i) job.analysis.properties[std::to_string(i)] = "1";
  EXPECT_THROW(read_job(write_job(job)), std::runtime_error);
  for (const std::size_t depth : {100, 100'000})
    EXPECT_THROW(read_job(std::string(depth, '[')), std::runtime_error);
  EXPECT_THROW(read_job(std::string(1 << 20, ' ') + write_job(good)), std::runtime_error);
}

TEST(Jobs, HoldEachFrameOfTheirVideoOnce) {
  const auto taken = [](std::vector<Part> parts) {
    try {
      read_video(write_video({7, kIdentity, kAnalysis, std::move(parts)}));
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  EXPECT_TRUE(taken({{0, 10, {}, 5, 0}, {10, {}, 5, {}, 0}}));
  EXPECT_FALSE(taken({}));
  EXPECT_FALSE(taken({{1, 10, {}, 5, 0}}));
  EXPECT_FALSE(taken({{0, 10, {}, 5, 0}, {9, {}, 5, {}, 0}}));
  EXPECT_FALSE(taken({{0, {}, {}, 5, 0}, {10, {}, 5, {}, 0}}));
}

TEST(Jobs, AreNamedByTheirVideo) {
  const Video video{7, new_identity(), kAnalysis, {}};
  EXPECT_NE(new_identity(), video.identity);
  const auto place = place_of(job_id(video, 3));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->video, 7U);
  EXPECT_EQ(place->part, 3U);
  EXPECT_EQ(place->identity, video.identity);
  EXPECT_EQ(shown(job_id(video, 3)), "7.3");
  EXPECT_EQ(shown("\x1b[2J"), "\\x1b[2J");
  for (const char* wrong :
       {"", "7", "7.1", "7.1@", "7.1@short", ".@", "-1.1@", "7.x@",
        "7.1@0123456789abcdef0123456789ABCDEF", "7.1@0123456789abcdef0123456789abcde/",
        "99999999999999999999.1@0123456789abcdef0123456789abcdef"})
    EXPECT_FALSE(place_of(wrong)) << wrong;
}

TEST(Jobs, OnlyFramesThatStandAloneAreCutApart) {
  for (const char* name : {"vivid", "srad", "scene", "network"})
    EXPECT_TRUE(frames_are_independent(name));
  for (const char* name : {"tracking", "", "other"}) EXPECT_FALSE(frames_are_independent(name));
}

}  // namespace
}  // namespace tandem::test
