// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages that write the luma of frames in page-locked memory: all but that of small ones comes
// straight from the device.
#include <algorithm>
#include <cmath>

#include "tests/gst/support/page_locked.h"

namespace tandem::test {
namespace {

constexpr Size kLarge{1022, 514};  // rows are padded, and reading the luma is worth a command
constexpr char kFormat[] = "I420";
constexpr int kLargeFrames = 6;

std::string despeckle(const std::string& properties) {
  return bin_of("sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate ! sradcompress",
                properties);
}

std::vector<Result> in_frames_of_the_pool(Stream& stream) {
  stream.play();
  const Offer offer = ask(stream, caps_text(kLarge, kFormat));
  EXPECT_TRUE(offers_anything(offer));
  for (int i = 0; i < kLargeFrames; ++i) {
    BufferRef buffer = take(offer.pool.get());
    EXPECT_TRUE(is_ours(buffer.get()));
    const std::vector<uint8_t> content = pixels(i, kLarge, kFormat);
    gst_buffer_fill(buffer.get(), 0, content.data(), content.size());
    GST_BUFFER_PTS(buffer.get()) = static_cast<GstClockTime>(i) * 40 * GST_MSECOND;
    stream.push_buffer(buffer.release());
  }
  stream.end();
  std::vector<Result> got = stream.pull_all();
  gst_buffer_pool_set_active(offer.pool.get(), FALSE);
  return got;
}

void expect_despeckled_once(const std::vector<Result>& got) {
  Stream cores(despeckle("mapping=cccccc"), kLarge, kFormat);
  const std::vector<Result> expected = cores.run(kLargeFrames);
  ASSERT_EQ(indices(got), count_to(kLargeFrames));
  for (int i = 0; i < kLargeFrames; ++i) {
    const std::vector<uint8_t>&of = got[i].pixels, &wanted = expected[i].pixels;
    ASSERT_EQ(of.size(), wanted.size());
    for (std::size_t k = 0; k < of.size(); ++k)
      ASSERT_LE(std::abs(of[k] - wanted[k]), 1) << "frame " << i << ", byte " << k;
  }
}

TEST_F(PageLocked, LumaComesFromTheDevice) {
  for (const char* configuration :
       {"mapping=gggggg threads=1", "mapping=gggggg granularity=mg lanes=2", "mapping=ccgggg",
        "mapping=gggggg threads=1 tasks=3", "mapping=ssssss split=40"}) {
    SCOPED_TRACE(configuration);
    Stream stream(despeckle(configuration), kLarge, kFormat);
    expect_despeckled_once(in_frames_of_the_pool(stream));
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
}

// TANDEM_OPENCL_FAIL_AFTER lets so many commands succeed, TANDEM_TEST_FAILING says what the next
// one is; run by meson test. The luma that came is there until the device has handed over the new
// one.
TEST_F(PageLocked, LumaIsDespeckledOnceWhenTheDeviceFails) {
  if (!std::getenv("TANDEM_OPENCL_FAIL_AFTER")) GTEST_SKIP() << "no fault is asked for";
  Stream stream(despeckle("mapping=gggggg threads=1 lanes=1"), kLarge, kFormat);
  expect_despeckled_once(in_frames_of_the_pool(stream));
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
  const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
  ASSERT_EQ(warnings.size(), 1U);
  if (const char* failing = std::getenv("TANDEM_TEST_FAILING")) {
    EXPECT_NE(warnings[0].text.find(failing), std::string::npos) << warnings[0].text;
  }
}

}  // namespace
}  // namespace tandem::test
