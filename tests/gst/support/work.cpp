// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/work.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace tandem::test {
namespace {

const std::vector<Result>& vivid_alone(int scales, Size size) {
  static std::map<std::pair<int, int>, std::vector<Result>> made;
  std::vector<Result>& results = made[{scales, size.width}];
  if (results.empty())
    results = expected_results(kPictures, size, "scales=" + std::to_string(scales));
  return results;
}

const std::vector<Result>& srad_alone(int iterations) {
  static std::map<int, std::vector<Result>> made;
  std::vector<Result>& results = made[iterations];
  if (!results.empty()) return results;
  std::string line = "sradextract device=cpu";
  for (int i = 0; i < iterations; ++i) {
    line +=
        " ! sradprepare device=cpu ! sradreduce device=cpu ! sraddiffuse device=cpu ! sradupdate "
        "device=cpu";
  }
  Stream stream(line + " ! sradcompress device=cpu", kSradSize);
  return results = stream.run(kPictures);
}

// The parser names the pads of bins.
GstPad* pad_of(GstElement* element, GstPadDirection direction) {
  const GList* pads = direction == GST_PAD_SINK ? element->sinkpads : element->srcpads;
  return GST_PAD(gst_object_ref(pads->data));
}

}  // namespace

std::string vivid(const std::string& properties) {
  return bin("keep-tensors=true " + properties, "name=filter scales=1");
}

void set_scales(const Stream& stream, int scales) {
  g_object_set(stream.element("filter"), "scales", scales, nullptr);
}

int scales_of(const Result& result) {
  return static_cast<int>(result.tensors.at("vivid-levels").size() / 4);
}

void expect_computed_with(int scales, Result got, Size size) {
  SCOPED_TRACE("scales=" + std::to_string(scales) + ", frame " + std::to_string(got.index));
  got.index %= kPictures;
  ASSERT_EQ(scales_of(got), scales);
  expect_same(vivid_alone(scales, size)[static_cast<std::size_t>(got.index)], got, true);
}

std::string srad(const std::string& properties) {
  return bin_of(
      "sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate name=update "
      "iterations=1 ! sradcompress",
      properties);
}

void set_iterations(const Stream& stream, int iterations) {
  g_object_set(stream.element("update"), "iterations", iterations, nullptr);
}

void expect_despeckled(int iterations, const Result& got) {
  const Result& wanted = srad_alone(iterations)[static_cast<std::size_t>(got.index % kPictures)];
  ASSERT_EQ(got.pixels.size(), wanted.pixels.size());
  // A value next to half a grey level may be rounded the other way.
  for (std::size_t i = 0; i < got.pixels.size(); ++i) {
    ASSERT_LE(std::abs(got.pixels[i] - wanted.pixels[i]), 1)
        << "byte " << i << " of frame " << got.index << ", iterations=" << iterations;
  }
}

void push_picture(Stream& stream, int index, Size size) {
  GstBuffer* buffer = make_frame(index % kPictures, size);
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(index) * 40 * GST_MSECOND;
  stream.push_buffer(buffer);
}

FrameProbe::FrameProbe(GstElement* element, GstPadDirection direction,
                       std::function<void(int)> seen)
    : pad_(pad_of(element, direction)), seen_(std::move(seen)) {
  id_ = gst_pad_add_probe(
      pad_, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo*, gpointer self) {
        auto* probe = static_cast<FrameProbe*>(self);
        probe->seen_(probe->frames_++);
        return GST_PAD_PROBE_OK;
      },
      this, nullptr);
}

FrameProbe::~FrameProbe() {
  gst_pad_remove_probe(pad_, id_);
  gst_object_unref(pad_);
}

Told settle(Stream& stream, const std::function<void()>& change, Size size, int& next,
            const std::function<void(const Result&)>& check) {
  const std::size_t before = told(stream).size();  // caps may be there before the next frame is
  change();
  const int most = next + 60000;
  while (next < most) {
    for (int i = 0; i < 8; ++i) push_picture(stream, next + i, size);
    const std::vector<Result> got = stream.pull(8);
    EXPECT_EQ(got.size(), 8U);
    for (const Result& result : got) {
      EXPECT_EQ(result.index, next++);
      check(result);
    }
    const std::vector<Told> all = told(stream);
    // Where training has to wait, what runs goes on: that is no choice.
    if (all.size() > before && all.back().reason != "not-allowed") return all.back();
    if (testing::Test::HasFailure()) break;
  }
  ADD_FAILURE() << "nothing was decided";
  return {};
}

}  // namespace tandem::test
