// SPDX-License-Identifier: LGPL-2.1-or-later
// How a video is cut, and that each frame is in one part, whatever its order in the file.
#include "pipelines/jobs/parts/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "pipelines/jobs/worker/part_source.h"

namespace tandem::test {
namespace {

using Verdict = PartFilter::Verdict;

VideoIndex every_second(std::initializer_list<bool> keys) {
  VideoIndex index;
  for (const bool key : keys) {
    const uint64_t time_ns = index.frames.size() * 1'000'000'000;
    index.frames.push_back({time_ns + 5, time_ns, key});
  }
  return index;
}

TEST(Cut, BeforeKeyFrames) {
  const VideoIndex index = every_second({true, false, true, false, true, true, false});
  const std::vector<Part> parts = cut(index, 2'000'000'000);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0], (Part{0, 2, std::nullopt, 2'000'000'005, 0}));
  EXPECT_EQ(parts[1], (Part{2, 2, 2'000'000'005, 4'000'000'005, 2'000'000'000}));
  EXPECT_EQ(parts[2], (Part{4, std::nullopt, 4'000'000'005, std::nullopt, 4'000'000'000}));
  EXPECT_EQ(cut(index, 3'000'000'000).size(), 2U);
}

// Some decoders lose frames if they begin with a key frame behind which earlier ones follow.
TEST(Cut, DecodesFromTheKeyFrameBeforeAnOpenGroup) {
  VideoIndex index = every_second({true, false, true, false, true, false});
  EXPECT_EQ(cut(index, 1)[2].seek_ns, 4'000'000'000U);
  std::swap(index.frames[3], index.frames[4]);
  const std::vector<Part> parts = cut(index, 1);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[1].seek_ns, 2'000'000'000U);
  EXPECT_EQ(parts[2], (Part{4, std::nullopt, 4'000'000'005, std::nullopt, 2'000'000'000}));
}

TEST(Cut, OnePartWhereItCannotBeCut) {
  const std::vector<Part> whole{Part{}};
  VideoIndex index = every_second({true, true, true});
  EXPECT_EQ(cut(index, 0), whole);
  EXPECT_EQ(cut({}, 1), whole);
  EXPECT_EQ(cut(every_second({true, false, false}), 1), whole);
  index.why_whole = "its file has no index";
  EXPECT_EQ(cut(index, 1), whole);
  index = every_second({true, true, true});
  index.frames[1].pts_ns = index.frames[2].pts_ns;  // which of them is the later?
  EXPECT_EQ(cut(index, 1), whole);
}

// A video of any frame rate, whose groups of pictures are open: behind a key frame come some that
// are shown before it.
VideoIndex random_video(std::mt19937& random) {
  std::uniform_int_distribution<int> count(1, 200), step(1, 90), group(1, 12), leading(0, 3);
  VideoIndex index;
  uint64_t time_ns = 0;
  int until_key = 0;
  for (int i = count(random); i > 0; --i) {
    time_ns += static_cast<uint64_t>(step(random)) * 1'000'000;
    index.frames.push_back({time_ns, time_ns, until_key == 0});
    until_key = until_key == 0 ? group(random) : until_key - 1;
  }
  for (std::size_t i = 4; i < index.frames.size(); ++i) {
    if (!index.frames[i].key) continue;
    const int before = leading(random);
    std::rotate(index.frames.begin() + static_cast<long>(i) - before,
                index.frames.begin() + static_cast<long>(i),
                index.frames.begin() + static_cast<long>(i) + 1);
  }
  return index;
}

// What a worker does: it decodes from the last key frame at or before the part on, in the order of
// presentation.
std::vector<uint64_t> numbers_in(const Part& part, const std::vector<uint64_t>& times_ns) {
  PartFilter filter(part);
  std::vector<uint64_t> numbers;
  for (const uint64_t time_ns : times_ns) {
    if (part.start_ns && time_ns + 100'000'000 < part.seek_ns) continue;
    const auto verdict = filter.see(time_ns);
    if (!verdict) break;
    if (*verdict == Verdict::kPass) numbers.push_back(part.first_frame + filter.passed() - 1);
    EXPECT_NE(*verdict, Verdict::kTooLate);
  }
  EXPECT_EQ(filter.problem(), "");
  return numbers;
}

TEST(Cut, EveryFrameIsInOnePart) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const VideoIndex index = random_video(random);
    std::vector<uint64_t> times_ns;
    for (const CodedFrame& frame : index.frames) times_ns.push_back(frame.pts_ns);
    std::ranges::sort(times_ns);
    std::vector<uint64_t> numbers;
    for (const Part& part :
         cut(index, std::uniform_int_distribution<uint64_t>(1, 3'000'000'000)(random))) {
      for (const uint64_t number : numbers_in(part, times_ns)) numbers.push_back(number);
    }
    ASSERT_EQ(numbers.size(), times_ns.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
  }
}

TEST(PartFilter, FramesThatAreMissingAreAProblem) {
  const Part part{10, 2, 100, 300, 0};
  PartFilter late(part);
  EXPECT_EQ(late.see(0), Verdict::kDrop);
  EXPECT_EQ(late.see(200), Verdict::kTooLate);
  late.restart();
  EXPECT_EQ(late.see(100), Verdict::kPass);
  EXPECT_EQ(late.see(std::nullopt), Verdict::kDrop);
  EXPECT_EQ(late.see(300), std::nullopt);
  EXPECT_EQ(late.problem(), "1 frames came out of this part of the video instead of 2");

  PartFilter more(part);
  for (const uint64_t time : {100, 150, 200}) more.see(time);
  EXPECT_NE(more.problem(), "");

  PartFilter open({10, std::nullopt, 100, std::nullopt, 0});
  EXPECT_NE(open.problem(), "");
  open.see(100);
  EXPECT_EQ(open.problem(), "");

  PartFilter whole({});
  EXPECT_EQ(whole.see(std::nullopt), Verdict::kPass);  // nothing is asked of its times
}

}  // namespace
}  // namespace tandem::test
