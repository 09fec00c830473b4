// SPDX-License-Identifier: LGPL-2.1-or-later
// Texts of a queue, damaged at random: each is refused with a reason, or is as good as one that was
// written.
#include <gtest/gtest.h>

#include <stdexcept>

#include "files/terminal_text.h"
#include "pipelines/jobs/gather/gathered_video.h"
#include "pipelines/jobs/job.h"
#include "pipelines/jobs/job_properties.h"
#include "pipelines/jobs/redis/queue.h"
#include "pipelines/tandem/options/options.h"
#include "tests/support/json_mutator.h"

namespace tandem::test {
namespace {

constexpr int kTexts = 20'000;
const std::string kFuzzIdentity = "0123456789abcdef0123456789abcdef";
const Analysis kFuzzAnalysis{"file:///videos/a%20gate.mp4",
                             "vivid",
                             {{"scales", "3"}, {"size", "64x48"}, {"threshold", "0.5"}}};
const std::vector<Part> kFuzzParts{{0, 25, {}, 1'000'000'000, 0},
                                   {25, 50, 1'000'000'000, 3'000'000'000, 920'000'000},
                                   {75, {}, 3'000'000'000, {}, 2'900'000'000}};

const std::string kFuzzLine =
    R"({"schema":"tandem-frame","schema_version":1,"frame":7,"pts":0.28,"time":"2026-01-01T00:00:00Z",)"
    R"("size":{"width":64,"height":48},"detections":[{"id":3,"confidence":0.93,"box":[1,2,3,4]},)"
    R"({"id":4,"confidence":null,"label":"person"}],"motion":[],"scene":null})";

// The good text, what is written again of one that was taken, and what takes it.
template <typename Write, typename Read>
void fuzz(const std::vector<std::string>& corpus, unsigned seed, Read&& read, Write&& write) {
  int good = 0;
  for (std::size_t of = 0; of < corpus.size(); ++of) {
    JsonMutator mutator(corpus[of], seed + static_cast<unsigned>(of));
    for (int i = 0; i < kTexts / static_cast<int>(corpus.size()); ++i) {
      const std::string text = mutator.make();
      SCOPED_TRACE(terminal_text(text, 3000));
      try {
        const auto taken = read(text);
        ++good;
        const std::string written = write(taken);
        ASSERT_EQ(write(read(written)), written);
      } catch (const std::runtime_error& e) {
        ASSERT_NE(std::string(e.what()), "");
      }
    }
  }
  EXPECT_GT(good, kTexts / 100) << "the checks were the only thing that was tested";
  EXPECT_LT(good, kTexts * 9 / 10);
}

TEST(JobsFuzz, Jobs) {
  const auto text = [](const Analysis& analysis, const Part& part) {
    return write_job({"7.1@" + kFuzzIdentity, analysis, part});
  };
  const std::vector<std::string> corpus{text(kFuzzAnalysis, kFuzzParts[1]), text(kFuzzAnalysis, {}),
                                        text({"rtsp://camera/", "tracking", {}}, {})};
  fuzz(corpus, 1, read_job, [](const Job& job) {
    try {
      (void)set_up(job.analysis, {});
    } catch (const UsageError&) {
    } catch (const Failure&) {
    }
    EXPECT_TRUE(place_of(job.id));
    EXPECT_LE(shown(job.id).size(), 100U);
    return write_job(job);
  });
}

TEST(JobsFuzz, Videos) {
  const std::vector<std::string> corpus{write_video({7, kFuzzIdentity, kFuzzAnalysis, kFuzzParts}),
                                        write_video({1, kFuzzIdentity, kFuzzAnalysis, {{}}})};
  fuzz(corpus, 2, read_video, [](const Video& video) {
    EXPECT_EQ(jobs_of(video).size(), video.parts.size());
    return write_video(video);
  });
}

TEST(JobsFuzz, Records) {
  fuzz({write_record({"worker-1", 300, 1.5, 1.8e9, "the disk is gone"})}, 3, read_record,
       write_record);
}

TEST(JobsFuzz, ResultLines) {
  fuzz(
      {kFuzzLine}, 4, [](const std::string& text) { return read_result_line(text, 7); },
      [](const nlohmann::ordered_json& json) {
        return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
      });
}

// Whatever came before, the good lines make the part complete.
TEST(JobsFuzz, EntriesOfResults) {
  JsonMutator mutator(kFuzzLine, 5);
  std::mt19937 random(5);
  for (int i = 0; i < kTexts; ++i) {
    GatheredPart part(testing::TempDir() + "/jobs_fuzz_is_not_written", 7);
    const uint64_t numbers[] = {0, 1, 2, 7, 8, UINT64_MAX, UINT64_MAX - 7, uint64_t{random()}};
    const ResultLines lines{numbers[random() % 8], numbers[random() % 8],
                            mutator.make() + (random() % 2 ? "\n" : "")};
    (void)part.take(lines);
    ASSERT_LE(part.frames(), 1U);
    ASSERT_EQ(part.take({7, 1, kFuzzLine + "\n"}), "");
    ASSERT_EQ(part.frames(), 1U);
  }
}

}  // namespace
}  // namespace tandem::test
