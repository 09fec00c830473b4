// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements that read results, on frames whose results an attacker or a careless element wrote: no
// frame fails, and each kind of fault is reported once.
#include <gst/check/gstharness.h>
#include <gst/tandem/motionmeta.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace tandem::test {
namespace {

constexpr char kCaps[] = "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1";
constexpr gsize kBytes = 64 * 48;

GstVideoRegionOfInterestMeta* add(GstBuffer* buffer, int x, int y, int width, int height,
                                  GQuark label) {
  return gst_buffer_add_video_region_of_interest_meta_id(
      buffer, label, static_cast<guint>(x), static_cast<guint>(y), static_cast<guint>(width),
      static_cast<guint>(height));
}

void add_motion(GstBuffer* buffer) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  static const GstTandemMotionVector vectors[] = {
      {kNaN, kNaN, kNaN, kNaN, 1, 1}, {1e30F, 5, 1e30F, 0, 2, 1}, {-5, -5, 1, 1, 3, 1}};
  // The plugin registers the type.
  const GstMetaInfo* info = gst_meta_get_info("GstTandemMotionMeta");
  ASSERT_TRUE(info);
  auto* motion = reinterpret_cast<GstTandemMotionMeta*>(gst_buffer_add_meta(buffer, info, nullptr));
  motion->vectors = vectors;
  motion->count = std::size(vectors);
}

// All kinds of faults but too many objects.
GstBuffer* bad_frame() {
  static const GQuark odd = g_quark_from_string("odd \xff label"),
                      huge = g_quark_from_string(std::string(1 << 20, 'm').c_str());
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, kBytes, nullptr);
  gst_buffer_memset(buffer, 0, 7, kBytes);
  add(buffer, -5, -5, 20, 20, odd)->parent_id = 0;
  add(buffer, 60, 40, 1000, 1000, huge);
  add(buffer, G_MAXINT, G_MAXINT, G_MAXINT, G_MAXINT, 0);
  add(buffer, 5, 5, 0, -7, 0);
  for (const double confidence :
       {std::numeric_limits<double>::quiet_NaN(), -1.0, std::numeric_limits<double>::infinity()}) {
    gst_video_region_of_interest_meta_add_param(
        add(buffer, 5, 5, 10, 10, odd),
        gst_structure_new("detection", "confidence", G_TYPE_DOUBLE, confidence, nullptr));
  }
  add_motion(buffer);
  return buffer;
}

class BadFrames : public testing::TestWithParam<const char*> {
 protected:
  BadFrames() {
    gst_element_set_bus(harness_->element, bus_.get());
    gst_harness_set_src_caps_str(harness_, kCaps);
  }
  ~BadFrames() override {
    gst_element_set_bus(harness_->element, nullptr);
    gst_harness_teardown(harness_);
  }

  BufferRef process(GstBuffer* frame) {
    EXPECT_EQ(gst_harness_push(harness_, frame), GST_FLOW_OK);
    return BufferRef(gst_harness_try_pull(harness_));
  }
  // How often each was posted so far.
  std::map<std::string, int> warnings() {
    while (GstMessage* message = gst_bus_pop_filtered(bus_.get(), GST_MESSAGE_WARNING)) {
      GError* error = nullptr;
      gst_message_parse_warning(message, &error, nullptr);
      ++warnings_[error->message];
      g_error_free(error);
      gst_message_unref(message);
    }
    return warnings_;
  }

  GstHarness* const harness_ = gst_harness_new(GetParam());
  const ObjectRef<GstBus> bus_{gst_bus_new()};
  std::map<std::string, int> warnings_;
};

TEST_P(BadFrames, PassAndAreReportedOnce) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(process(bad_frame()));
  const auto told = warnings();
  for (const char* kind : {"boxes", "confidences", "Labels", "vectors"}) {
    int count = 0;
    for (const auto& [text, times] : told)
      if (text.find(kind) != std::string::npos) count += times;
    EXPECT_EQ(count, 1) << kind;
  }
  EXPECT_EQ(told.size(), 4u);
}

TEST_P(BadFrames, AreReportedAgainOnceTheElementStarts) {
  process(bad_frame());
  gst_element_set_state(harness_->element, GST_STATE_NULL);
  gst_element_set_bus(harness_->element, bus_.get());
  gst_harness_play(harness_);
  gst_harness_set_src_caps_str(harness_, kCaps);
  process(bad_frame());
  for (const auto& [text, times] : warnings()) EXPECT_EQ(times, 2) << text;
}

TEST_P(BadFrames, MayHaveAnyNumberOfBoxes) {
  static const GQuark huge = g_quark_from_string(std::string(1 << 20, 'm').c_str());
  for (int frame = 0; frame < 2; ++frame) {
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, kBytes, nullptr);
    gst_buffer_memset(buffer, 0, 7, kBytes);
    for (int i = 0; i < 20'000; ++i) add(buffer, i % 60, i % 40, 4, 4, huge);
    EXPECT_TRUE(process(buffer));
  }
  const auto told = warnings();
  for (const auto& [text, times] : told) EXPECT_EQ(times, 1) << text;
  // Labels, objects that are not read, and those that get no id or are not drawn.
  EXPECT_EQ(told.size(), GetParam() == std::string("tandemmeta2json") ? 2u : 3u);
}

// Each label is another one, of which none can be kept.
TEST_P(BadFrames, MayHaveAnyNumberOfLabels) {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, kBytes, nullptr);
  gst_buffer_memset(buffer, 0, 7, kBytes);
  for (int i = 0; i < 5000; ++i) {
    gst_video_region_of_interest_meta_add_param(
        add(buffer, i % 60, i % 40, 4, 4, 0),
        gst_structure_new("detection", "label", G_TYPE_STRING,
                          (std::to_string(i) + std::string(2000, 'm')).c_str(), nullptr));
  }
  EXPECT_TRUE(process(buffer));
}

guint any_number(std::mt19937& random) {
  constexpr guint kOdd[] = {
      0, 1, 2, 47, 48, 63, 64, G_MAXINT - 1, G_MAXINT, guint(G_MININT), G_MAXUINT, guint(-5)};
  return random() % 2 ? kOdd[random() % std::size(kOdd)] : static_cast<guint>(random() % 80);
}

// A parameter with fields of any type.
GstStructure* any_param(std::mt19937& random) {
  constexpr const char* kNames[] = {"detection", "scene", "object_id", "other"};
  constexpr const char* kFields[] = {"label", "label_id", "confidence", "id"};
  constexpr double kDoubles[] = {0.5, 1e308, -1e308, 1e-320, HUGE_VAL, NAN};
  GstStructure* made = gst_structure_new_empty(kNames[random() % std::size(kNames)]);
  for (const char* field : kFields) {
    switch (random() % 5) {
      case 0:
        gst_structure_set(made, field, G_TYPE_INT, static_cast<gint>(any_number(random)), nullptr);
        break;
      case 1:
        gst_structure_set(made, field, G_TYPE_DOUBLE, kDoubles[random() % std::size(kDoubles)],
                          nullptr);
        break;
      case 2:
        gst_structure_set(made, field, G_TYPE_STRING, "text", nullptr);
        break;
      case 3:
        gst_structure_set(made, field, G_TYPE_UINT64, guint64{G_MAXUINT64}, nullptr);
        break;
      default:
        break;
    }
  }
  return made;
}

TEST_P(BadFrames, MayHaveAnything) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    GstBuffer* buffer = i % 3 ? gst_buffer_new_allocate(nullptr, kBytes, nullptr) : bad_frame();
    GST_BUFFER_PTS(buffer) = random() % 2 ? GST_CLOCK_TIME_NONE : random() * guint64{random()};
    for (unsigned count = random() % 20; count > 0; --count) {
      auto* region = gst_buffer_add_video_region_of_interest_meta_id(
          buffer, random() % 3, any_number(random), any_number(random), any_number(random),
          any_number(random));
      region->id = static_cast<gint>(any_number(random));
      region->parent_id = static_cast<gint>(any_number(random));
      for (unsigned params = random() % 4; params > 0; --params)
        gst_video_region_of_interest_meta_add_param(region, any_param(random));
    }
    const BufferRef out = process(buffer);
    ASSERT_TRUE(out);
    if (GetParam() != std::string("tandemmeta2json")) continue;
    std::string line(gst_buffer_get_size(out.get()), 0);
    gst_buffer_extract(out.get(), 0, line.data(), line.size());
    const nlohmann::json parsed = nlohmann::json::parse(line);
    for (const nlohmann::json& one : parsed.at("detections")) {
      EXPECT_LE(one.at("x").get<int>() + one.at("w").get<int>(), 64);
      EXPECT_GT(one.at("w"), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, BadFrames,
                         testing::Values("tandemtrack", "tandemoverlay", "tandemmeta2json"),
                         [](const auto& element) { return std::string(element.param); });

}  // namespace
}  // namespace tandem::test
