// SPDX-License-Identifier: LGPL-2.1-or-later
// The property `tensors` of stages: what a program reads through GstTensorMeta.
#include <gst/analytics/analytics.h>
#include <gst/tandem/private/ref.h>
#include <gst/tandem/tensormeta.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr int kFrames = 4;
constexpr char kFeatures[] = "vivid-histogram";

using Names = std::vector<std::string>;

std::vector<GstTensorMeta*> tensor_metas(GstBuffer* frame) {
  std::vector<GstTensorMeta*> metas;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(frame, &state, GST_TENSOR_META_API_TYPE))
    metas.push_back(reinterpret_cast<GstTensorMeta*>(meta));
  return metas;
}

Names names_of(const GstTensorMeta* meta) {
  Names names;
  for (gsize i = 0; i < meta->num_tensors; ++i)
    names.emplace_back(g_quark_to_string(meta->tensors[i]->id));
  return names;
}

Names sorted(Names names) {
  std::ranges::sort(names);
  return names;
}

// The names in the frame's only meta; none where it has none.
Names names_on(GstBuffer* frame) {
  const auto metas = tensor_metas(frame);
  EXPECT_LE(metas.size(), 1U);
  return metas.empty() ? Names{} : sorted(names_of(metas[0]));
}

Names kept_on(GstBuffer* frame) {
  gchar** names = gst_buffer_get_tandem_tensor_names(frame);
  Names all(names, names + g_strv_length(names));
  g_strfreev(names);
  return sorted(all);
}

GstTensorDataType type_of(GstTandemElementType type) {
  switch (type) {
    case GST_TANDEM_ELEMENT_TYPE_UINT8:
      return GST_TENSOR_DATA_TYPE_UINT8;
    case GST_TANDEM_ELEMENT_TYPE_INT32:
      return GST_TENSOR_DATA_TYPE_INT32;
    case GST_TANDEM_ELEMENT_TYPE_FLOAT32:
      return GST_TENSOR_DATA_TYPE_FLOAT32;
    case GST_TANDEM_ELEMENT_TYPE_FLOAT16:
      return GST_TENSOR_DATA_TYPE_FLOAT16;
  }
  return GST_TENSOR_DATA_TYPE_INT4;
}

void expect_equal(const GstTensor& tensor, const GstTandemTensorMeta& ours) {
  EXPECT_EQ(tensor.layout, GST_TENSOR_LAYOUT_CONTIGUOUS);
  EXPECT_EQ(tensor.dims_order, GST_TENSOR_DIM_ORDER_ROW_MAJOR);
  EXPECT_EQ(tensor.data_type, type_of(ours.element_type));
  EXPECT_EQ(std::vector(tensor.dims, tensor.dims + tensor.num_dims),
            std::vector(ours.shape, ours.shape + ours.dimensions));
  ASSERT_EQ(gst_buffer_n_memory(tensor.data), 1U);
  EXPECT_EQ(gst_buffer_peek_memory(tensor.data, 0), ours.memory) << "a copy";
  GBytes* bytes = gst_tandem_tensor_meta_get_bytes(&ours);
  GstMapInfo map;
  ASSERT_TRUE(gst_buffer_map(tensor.data, &map, GST_MAP_READ));
  EXPECT_EQ(map.size, g_bytes_get_size(bytes));
  EXPECT_EQ(std::memcmp(map.data, g_bytes_get_data(bytes, nullptr), map.size), 0);
  gst_buffer_unmap(tensor.data, &map);
  g_bytes_unref(bytes);
}

void expect_equal(GstBuffer* frame) {
  const auto metas = tensor_metas(frame);
  ASSERT_EQ(metas.size(), 1U);
  for (gsize i = 0; i < metas[0]->num_tensors; ++i) {
    const GstTensor* tensor = gst_tensor_meta_get(metas[0], i);
    const char* name = g_quark_to_string(tensor->id);
    SCOPED_TRACE(name);
    const auto* ours = gst_buffer_get_tandem_tensor_meta(frame, name);
    ASSERT_TRUE(ours);
    expect_equal(*tensor, *ours);
  }
}

// The frames behind `middle`.
std::vector<BufferRef> frames_behind(Stream& stream, int count = kFrames) {
  stream.play();
  stream.push(0, count);
  stream.end();
  std::vector<BufferRef> frames;
  while (GstBuffer* frame = stream.pull_buffer()) frames.emplace_back(frame);
  EXPECT_EQ(std::ssize(frames), count);
  return frames;
}

std::string vivid(const std::string& each, const std::string& of_histogram) {
  return "vividfilter " + each + " ! vividhistogram name=histogram " + of_histogram + " " + each +
         " ! vividclassifier " + each;
}

// Alone and in a bin, on cores and on the device.
Names ways(const std::string& each, const std::string& of_histogram = "") {
  Names lines{vivid("device=cpu " + each, of_histogram)};
  const bool device = have_opencl_device();
  if (device) lines.push_back(vivid("device=opencl opencl-device=any " + each, of_histogram));
  for (const char* mapping : {"ccc", "ccc granularity=mg", "ggg", "gcc", "cgc lanes=2", "sss"})
    if (device || *mapping == 'c')
      lines.push_back(bin_of(vivid(each, of_histogram), "mapping=" + std::string(mapping)));
  return lines;
}

TEST(GstTensors, AllAreThoseOfTheStagesWithoutACopy) {
  const auto expected = expected_results(kFrames);
  const Names made = sorted([&] {
    Names names;
    for (const auto& [name, values] : expected.at(0).tensors) names.push_back(name);
    return names;
  }());
  ASSERT_GE(made.size(), 3U);
  for (const std::string& way : ways("tensors=all")) {
    SCOPED_TRACE(way);
    Stream stream(way);
    const auto frames = frames_behind(stream);
    for (const BufferRef& frame : frames) {
      EXPECT_EQ(names_on(frame.get()), made);
      expect_equal(frame.get());
      const Result result = read_result(frame.get());
      expect_same(expected.at(static_cast<std::size_t>(result.index)), result, true);
    }
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
}

TEST(GstTensors, OneByItsName) {
  for (const std::string& way : ways("", "tensors=\" vivid-histogram ,\"")) {
    SCOPED_TRACE(way);
    Stream stream(way);
    for (const BufferRef& frame : frames_behind(stream)) {
      EXPECT_EQ(names_on(frame.get()), Names{kFeatures});
      expect_equal(frame.get());
      // A bin lets go of the others.
      if (way.starts_with("tandembin")) {
        EXPECT_EQ(kept_on(frame.get()), Names{kFeatures});
      }
    }
  }
}

TEST(GstTensors, NobodyAskedForStayAway) {
  for (const std::string each : {"", "tensors=none", "tensors=\"\""}) {
    Stream alone(vivid("device=cpu " + each, ""));
    for (const BufferRef& frame : frames_behind(alone)) EXPECT_TRUE(names_on(frame.get()).empty());
    Stream inside(bin_of(vivid(each, "")));
    for (const BufferRef& frame : frames_behind(inside)) {
      EXPECT_TRUE(names_on(frame.get()).empty());
      EXPECT_TRUE(kept_on(frame.get()).empty());
    }
  }
}

TEST(GstTensors, KeptTensorsAreTheBins) {
  Stream stream(bin_of(vivid("", "tensors=vivid-histogram"), "keep-tensors=true"));
  for (const BufferRef& frame : frames_behind(stream)) {
    EXPECT_EQ(names_on(frame.get()), Names{kFeatures});
    EXPECT_GE(kept_on(frame.get()).size(), 3U);
  }
}

TEST(GstTensors, AnUnknownNameIsReportedOnce) {
  for (const std::string& way : ways("", "tensors=vivid-histogram,nothing")) {
    SCOPED_TRACE(way);
    Stream stream(way);
    for (const BufferRef& frame : frames_behind(stream))
      EXPECT_EQ(names_on(frame.get()), Names{kFeatures});
    const auto warnings = stream.messages.all(GST_MESSAGE_WARNING);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].source, "histogram");
    EXPECT_EQ(warnings[0].text,
              "The property tensors of vividhistogram names 'nothing', which vividhistogram does "
              "not make. It makes 'vivid-histogram'.");
  }
}

TEST(GstTensors, ChangeWhilePlaying) {
  for (const std::string& way : ways("")) {
    SCOPED_TRACE(way);
    Stream stream(way);
    stream.play();
    int next = 0;
    for (const char* tensors : {"none", "all", "vivid-histogram", "none", "all"}) {
      g_object_set(stream.element("histogram"), "tensors", tensors, nullptr);
      for (int i = 0; i < 2; ++i, ++next) {
        stream.push(next, next + 1);
        const BufferRef frame(stream.pull_buffer());
        ASSERT_TRUE(frame);
        const bool is_any = std::string(tensors) != "none";
        EXPECT_EQ(names_on(frame.get()), is_any ? Names{kFeatures} : Names{}) << tensors;
      }
    }
  }
}

// Readers of the other meta count its tensors.
TEST(GstTensors, AMetaOfAnotherElementStaysAsItIs) {
  Stream stream(vivid("device=cpu tensors=all", ""));
  stream.play();
  GstBuffer* frame = make_frame(0, {});
  gsize sides[] = {2, 3};
  GstTensor* theirs = gst_tensor_new_simple(
      g_quark_from_static_string("theirs"), GST_TENSOR_DATA_TYPE_UINT8,
      gst_buffer_new_allocate(nullptr, 6, nullptr), GST_TENSOR_DIM_ORDER_ROW_MAJOR, 2, sides);
  gst_tensor_meta_set(gst_buffer_add_tensor_meta(frame), 1,
                      static_cast<GstTensor**>(g_memdup2(&theirs, sizeof theirs)));
  stream.push_buffer(frame);
  stream.end();
  const BufferRef out(stream.pull_buffer());
  ASSERT_TRUE(out);
  const auto metas = tensor_metas(out.get());
  ASSERT_EQ(metas.size(), 2U);
  EXPECT_EQ(names_of(metas[0]), Names{"theirs"});
  EXPECT_GE(metas[1]->num_tensors, 3U);
}

/// The path of a stage file with this text.
std::string written(const std::string& name, const std::string& text) {
  const std::string path = temporary_folder() + "/tensors_" + name + ".cl";
  std::ofstream(path) << "//!STAGE " << name << '\n' << text;
  return "kernelstage name=" + name + " location=" + path;
}

TEST(GstTensors, OfNumbersOfEachType) {
  const std::string types = written(
      "types",
      "//!READ luma\n//!WRITE bytes uint8\n//!WRITE ints int32\n//!WRITE floats float32\n"
      "//!MAP\nbytes = luma(0, 0);\nints = 1000 * luma(0, 0);\nfloats = luma(0, 0) / 3.0f;\n");
  Names lines{types + " device=cpu tensors=all", bin_of(types + " tensors=all", "mapping=c")};
  if (have_opencl_device()) lines.push_back(bin_of(types + " tensors=all", "mapping=g"));
  for (const std::string& line : lines) {
    SCOPED_TRACE(line);
    Stream stream(line, {48, 20});
    for (const BufferRef& frame : frames_behind(stream)) {
      EXPECT_EQ(names_on(frame.get()), (Names{"bytes", "floats", "ints"}));
      expect_equal(frame.get());
    }
  }
}

TEST(GstTensors, OfHalfPrecision) {
  Stream stream("scenefeatures device=cpu tensors=all", {160, 120});
  int halves = 0;
  for (const BufferRef& frame : frames_behind(stream, 1)) {
    expect_equal(frame.get());
    const GstTensorMeta* meta = tensor_metas(frame.get()).at(0);
    for (gsize i = 0; i < meta->num_tensors; ++i)
      halves += meta->tensors[i]->data_type == GST_TENSOR_DATA_TYPE_FLOAT16;
  }
  EXPECT_EQ(halves, 1);
}

// Frames that passed the first stage of the bin together with the second.
guint64 fused_frames(const Stream& stream) {
  GstStructure* stats = nullptr;
  g_object_get(stream.tandembin(), "stats", &stats, nullptr);
  const GValue* stages = gst_structure_get_value(stats, "stages");
  guint64 frames = 0;
  gst_structure_get_uint64(gst_value_get_structure(gst_value_array_get_value(stages, 0)),
                           "fused-frames", &frames);
  gst_structure_free(stats);
  return frames;
}

// The first stage's tensor is on no frame of a pass over both, unless somebody asks for it.
TEST(GstTensors, OfFusedStages) {
  const std::string first =
      written("first", "//!READ luma\n//!WRITE value float32\n//!MAP\nvalue = 2 * luma(0, 0);\n");
  const std::string second = written(
      "second", "//!READ value float32\n//!WRITE sum float32\n//!MAP\nsum = value(0, 0) + 1;\n");
  std::string chain = first;
  chain += " tensors=value ! ";
  chain += second;
  for (const char* mapping : {"cc", "gg"}) {
    if (*mapping == 'g' && !have_opencl_device()) continue;
    SCOPED_TRACE(mapping);
    Stream stream(bin_of(chain, "cpu-fallback=false mapping=" + std::string(mapping)), {48, 20});
    for (const BufferRef& frame : frames_behind(stream)) {
      EXPECT_EQ(names_on(frame.get()), Names{"value"});
      expect_equal(frame.get());
      const Result result = read_result(frame.get());
      const std::vector<float>& values = result.tensors.at("value");
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(values[i], 2.0F * static_cast<float>(result.pixels.at(i)));
    }
    EXPECT_EQ(fused_frames(stream), guint64{kFrames});
  }
}

// Frames that wait for their turn at klttracks let go of tensors that nobody reads.
TEST(GstTensors, StayWhileAFrameWaits) {
  const std::string stages = "kltpyramid tensors=klt-current ! kltfeatures ! kltflow ! klttracks";
  Stream stream(
      "tandembin.( cores=4 adapt=off threads=4 opencl-device=any mapping=cccc " + stages + " )",
      {320, 240});
  for (const BufferRef& frame : frames_behind(stream, 60)) {
    ASSERT_EQ(names_on(frame.get()), Names{"klt-current"});
    ASSERT_EQ(kept_on(frame.get()), Names{"klt-current"});
    expect_equal(frame.get());
  }
}

// sradextract and sradupdate make an srad-image each.
TEST(GstTensors, OfEqualNamesTheLastIsThere) {
  const std::string stages =
      "sradextract tensors=all ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate tensors=all ! "
      "sradcompress";
  for (const std::string& way :
       {stages, bin_of(stages, "mapping=cccccc"), bin_of(stages, "mapping=cgcgcc")}) {
    if (way.find("=cg") != std::string::npos && !have_opencl_device()) continue;
    SCOPED_TRACE(way);
    Stream stream(way);
    for (const BufferRef& frame : frames_behind(stream)) {
      const auto metas = tensor_metas(frame.get());
      ASSERT_EQ(metas.size(), 1U);
      EXPECT_EQ(names_of(metas[0]), Names{"srad-image"});
      expect_equal(frame.get());
    }
  }
}

// A reader may keep the tensors longer than the frame, and the stream.
TEST(GstTensors, OutliveTheFrame) {
  GstTensor* kept = nullptr;
  {
    Stream stream(bin_of(vivid("", "tensors=all"), "mapping=ccc"));
    kept = gst_tensor_copy(gst_tensor_meta_get(tensor_metas(frames_behind(stream)[0].get())[0], 0));
  }
  GstMapInfo map;
  ASSERT_TRUE(gst_buffer_map(kept->data, &map, GST_MAP_READ));
  EXPECT_GT(map.size, 0U);
  EXPECT_EQ(kept->id, g_quark_from_static_string(kFeatures));
  gst_buffer_unmap(kept->data, &map);
  gst_tensor_free(kept);
}

}  // namespace
}  // namespace tandem::test
