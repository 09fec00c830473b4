// SPDX-License-Identifier: LGPL-2.1-or-later
// What `tandem run` says that an application found, from frames with known metadata.
#include "pipelines/tandem/run/result_summary.h"

#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include "gst/json/framejson.h"
#include "pipelines/tandem/options/applications.h"

namespace tandem::test {
namespace {

BufferRef frame() { return BufferRef(gst_buffer_new()); }

void add_region(GstBuffer* frame, const char* label) {
  auto* region = gst_buffer_add_video_region_of_interest_meta(frame, "thing", 1, 2, 3, 4);
  gst_video_region_of_interest_meta_add_param(
      region, gst_structure_new("detection", "label", G_TYPE_STRING, label, "confidence",
                                G_TYPE_DOUBLE, 0.75, nullptr));
}

BufferRef frame_with_regions(int count) {
  BufferRef made = frame();
  for (int i = 0; i < count; ++i) add_region(made.get(), "person");
  return made;
}

/// A vector a track, each followed for so many frames.
BufferRef frame_with_tracks(const std::vector<guint32>& ages) {
  BufferRef made = frame();
  GstMemory* memory =
      gst_allocator_alloc(nullptr, ages.size() * sizeof(GstTandemMotionVector), nullptr);
  GstMapInfo map;
  gst_memory_map(memory, &map, GST_MAP_WRITE);
  auto* vectors = reinterpret_cast<GstTandemMotionVector*>(map.data);
  for (std::size_t i = 0; i < ages.size(); ++i)
    vectors[i] = {1.5F, 2, 3, -4, static_cast<guint32>(i) + 1, ages[i]};
  gst_memory_unmap(memory, &map);
  gst_buffer_add_tandem_motion_meta(made.get(), vectors, static_cast<guint>(ages.size()), memory);
  return made;
}

TEST(ResultSummary, People) {
  const auto found = summarise_people(nullptr);
  EXPECT_EQ(found->summary(), "0 people found (0.0 a frame, 0 at most)");
  for (const int count : {1, 4, 0, 1}) found->add(frame_with_regions(count).get());
  EXPECT_EQ(found->progress(), "6 people found");
  EXPECT_EQ(found->summary(), "6 people found (1.5 a frame, 4 at most)");
}

TEST(ResultSummary, Tracks) {
  const auto found = summarise_tracks(nullptr);
  EXPECT_EQ(found->progress(), "tracks: 0 alive, 0 ended");
  found->add(frame().get());
  found->add(frame_with_tracks({1, 1, 1}).get());
  found->add(frame_with_tracks({2, 2, 1}).get());
  EXPECT_EQ(found->progress(), "tracks: 3 alive, 1 ended");
  found->add(frame_with_tracks({3}).get());
  EXPECT_EQ(found->progress(), "tracks: 1 alive, 3 ended");
  EXPECT_EQ(found->summary(),
            "tracks: 1 alive, 3 ended, 1.8 vectors a frame, the longest track 3 frames");
  found->add(frame().get());
  EXPECT_EQ(found->progress(), "tracks: 0 alive, 4 ended");
}

TEST(ResultSummary, Labels) {
  const auto found = summarise_labels(nullptr);
  EXPECT_EQ(found->summary(), "no label");
  for (const char* label : {"coast", "forest", "forest", "street", "forest"}) {
    BufferRef labelled = frame();
    add_region(labelled.get(), label);
    found->add(labelled.get());
  }
  EXPECT_EQ(found->progress(), "forest in 60% of the frames");
  EXPECT_EQ(found->summary(), "forest in 60%, coast in 20%, street in 20% of the frames");
}

TEST(ResultSummary, ANetworkThatFindsNothingComesWithCauses) {
  const auto found = summarise_findings(nullptr);
  found->add(frame().get());
  EXPECT_EQ(found->progress(), "nothing found");
  for (const char* cause : {"--threshold", "scores", "colors", "mean"})
    EXPECT_NE(found->summary().find(cause), std::string::npos) << cause;
  found->add(frame_with_regions(2).get());
  EXPECT_EQ(found->summary(), "2 person");
}

// A label may be any text of a model's file.
TEST(ResultSummary, LabelsCannotControlTheTerminal) {
  const auto found = summarise_labels(nullptr);
  const BufferRef labelled = frame();
  add_region(labelled.get(), "coast\x1b[2J\n");
  found->add(labelled.get());
  EXPECT_EQ(found->summary(), "coast\\x1b[2J\\x0a in 100% of the frames");
}

TEST(ResultSummary, EveryApplicationHasSome) {
  for (const Application& application : applications()) {
    SCOPED_TRACE(application.name);
    const ObjectRef<GstElement> empty(GST_ELEMENT(gst_object_ref_sink(gst_bin_new(nullptr))));
    const auto found = application.make_summary(empty.get());
    found->add(frame().get());
    EXPECT_FALSE(found->progress().empty());
    EXPECT_FALSE(found->summary().empty());
    EXPECT_EQ(&find_application(application.name), &application);
    EXPECT_NE(list_applications().find(application.purpose), std::string::npos);
  }
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
