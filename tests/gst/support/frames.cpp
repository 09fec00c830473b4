// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/frames.h"

#include <gst/tandem/tensormeta.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>

#include "kernels/opencl/opencl.h"
#include "kernels/util/half.h"
#include "kernels/vivid_classifier/vivid_model.h"

namespace tandem::test {
namespace {

constexpr GstClockTime kFrameTime = 40 * GST_MSECOND;

struct Folder {
  std::string path;
  Folder() {
    std::string made = (std::filesystem::temp_directory_path() / "tandem-test-XXXXXX").string();
    if (!mkdtemp(made.data())) g_error("cannot make a temporary folder");
    path = made;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

void save_random_model(int filters, const std::string& path) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  VividModel model;
  model.bank.count = filters;
  // Zero mean, as learnt filters are: brightness alone has no say.
  for (int k = 0; k < filters; ++k) {
    float filter[9], mean = 0;
    for (float& coefficient : filter) mean += (coefficient = normal(random)) / 9;
    for (const float coefficient : filter) model.bank.coefficients.push_back(coefficient - mean);
  }
  model.svm.filters = filters;
  // Each of the 105 blocks has the norm 1: scores spread by about 1.
  for (int i = 0; i < 105 * 4 * filters; ++i) model.svm.weights.push_back(0.1F * normal(random));
  model.default_threshold = 0.5F;
  save_vivid_model(model, path);
}

std::vector<float> values_of(const GstTandemTensorMeta& tensor) {
  std::size_t count = 1;
  for (guint d = 0; d < tensor.dimensions; ++d) count *= tensor.shape[d];
  GstMapInfo map;
  if (!gst_memory_map(tensor.memory, &map, GST_MAP_READ)) {
    ADD_FAILURE() << "the tensor " << tensor.name << " cannot be mapped";
    return {};
  }
  std::vector<float> values(count);
  if (tensor.element_type == GST_TANDEM_ELEMENT_TYPE_UINT8) {
    std::copy_n(map.data, count, values.begin());
  } else if (tensor.element_type == GST_TANDEM_ELEMENT_TYPE_FLOAT16) {
    std::copy_n(reinterpret_cast<const Half*>(map.data), count, values.begin());
  } else {
    std::copy_n(reinterpret_cast<const float*>(map.data), count, values.begin());
  }
  gst_memory_unmap(tensor.memory, &map);
  return values;
}

Box box_of(const GstVideoRegionOfInterestMeta* region) {
  Box box{region->x, region->y, region->w, region->h, -1, g_quark_to_string(region->roi_type)};
  GstStructure* detection = gst_video_region_of_interest_meta_get_param(
      const_cast<GstVideoRegionOfInterestMeta*>(region), "detection");
  if (detection) gst_structure_get_double(detection, "confidence", &box.confidence);
  return box;
}

// The greatest distance between values, relative to the greatest of them.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0, scale = 1e-30;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, static_cast<double>(std::abs(a[i] - b[i])));
    scale = std::max(scale, static_cast<double>(std::abs(a[i])));
  }
  return most / scale;
}

}  // namespace

const std::string& temporary_folder() {
  static const Folder folder;
  return folder.path;
}

const std::string& model_file() {
  static const std::string path = [] {
    const std::string made = temporary_folder() + "/models/person.vivid";
    std::filesystem::create_directories(temporary_folder() + "/models");
    save_random_model(20, made);
    return made;
  }();
  return path;
}

std::string other_model_file(int filters) {
  const std::string path = temporary_folder() + "/other" + std::to_string(filters) + ".vivid";
  save_random_model(filters, path);
  return path;
}

bool have_opencl_device() {
  static const bool have = !opencl::list_devices().empty();
  return have;
}

std::string caps_text(Size size, const char* format) {
  return "video/x-raw,framerate=25/1,format=" + std::string(format) +
         ",width=" + std::to_string(size.width) + ",height=" + std::to_string(size.height);
}

std::vector<uint8_t> pixels(int index, Size size, const char* format) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, gst_video_format_from_string(format),
                            static_cast<guint>(size.width), static_cast<guint>(size.height));
  std::mt19937 random(static_cast<unsigned>(index) * 1000003U + 1);
  std::vector<uint8_t> blocks(1024);
  for (uint8_t& block : blocks) block = static_cast<uint8_t>(random() >> 24);
  std::vector<uint8_t> all(info.size);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t x = i % info.stride[0], y = i / info.stride[0];
    all[i] = static_cast<uint8_t>(blocks[(y / 5 * 31 + x / 7) % 1024] / 2 + (random() >> 25));
  }
  return all;
}

GstBuffer* timed_frame(int index, const std::vector<uint8_t>& content) {
  GstBuffer* buffer = gst_buffer_new_memdup(content.data(), content.size());
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(index) * kFrameTime;
  GST_BUFFER_DURATION(buffer) = kFrameTime;
  return buffer;
}

GstBuffer* make_frame(int index, Size size, const char* format) {
  return timed_frame(index, pixels(index, size, format));
}

Result read_result(GstBuffer* buffer) {
  Result result;
  result.index = static_cast<int>(GST_BUFFER_PTS(buffer) / kFrameTime);
  result.pixels.resize(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, result.pixels.data(), result.pixels.size());
  gpointer state = nullptr;
  const GType tensors = g_type_from_name("GstTandemTensorMetaAPI");
  while (GstMeta* meta = gst_buffer_iterate_meta(buffer, &state)) {
    if (meta->info->api == tensors) {
      const auto& tensor = *reinterpret_cast<GstTandemTensorMeta*>(meta);
      result.tensors[tensor.name] = values_of(tensor);
    } else if (meta->info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) {
      result.boxes.push_back(box_of(reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta)));
    }
  }
  return result;
}

std::vector<int> indices(const std::vector<Result>& results) {
  std::vector<int> found;
  for (const Result& result : results) found.push_back(result.index);
  return found;
}

std::vector<int> count_to(int frames) {
  std::vector<int> all(static_cast<std::size_t>(frames));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void expect_same(const Result& expected, const Result& got, bool on_device) {
  SCOPED_TRACE("frame " + std::to_string(expected.index));
  EXPECT_EQ(got.index, expected.index);
  EXPECT_EQ(got.pixels, expected.pixels);
  ASSERT_EQ(got.boxes.size(), expected.boxes.size());
  for (std::size_t i = 0; i < expected.boxes.size(); ++i) {
    const Box &a = expected.boxes[i], &b = got.boxes[i];
    EXPECT_EQ(std::tie(a.x, a.y, a.width, a.height, a.label),
              std::tie(b.x, b.y, b.width, b.height, b.label));
    EXPECT_NEAR(a.confidence, b.confidence, on_device ? 5e-3 : 0);
  }
  for (const auto& [name, values] : got.tensors) {
    SCOPED_TRACE(name);
    const std::vector<float>& wanted = expected.tensors.at(name);
    ASSERT_EQ(values.size(), wanted.size());
    if (!on_device) {
      EXPECT_EQ(values, wanted);
    } else if (name == "vivid-index") {
      const auto differing = std::inner_product(values.begin(), values.end(), wanted.begin(), 0U,
                                                std::plus<>(), std::not_equal_to<>());
      EXPECT_LE(differing, values.size() / 1000);
    } else {
      // A resized pixel may be one grey level off.
      EXPECT_LE(distance(wanted, values), 3e-2);
    }
  }
}

}  // namespace tandem::test
