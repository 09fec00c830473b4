// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages around a network. A stage file stands for the network itself.
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "kernels/network_input/network_input.h"
#include "model/configuration.h"
#include "tests/gst/support/network_model.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr int kWidth = 24, kHeight = 16;
const std::vector<int> kSides{1, 3, kHeight, kWidth};
// In the frame's units: letterboxed into 24 x 8 pixels from row 4 on.
constexpr Size kSize{48, 16};

const std::string kInfo =
    "[tandem]\ncolors=bgr\nmean=10,20,30\ndeviation=255,128,64\npadding=255\ndecoder=yolov5\n"
    "labels=person,car\n";

std::string model(const std::string& info = kInfo, const std::vector<int>& sides = kSides) {
  return network_model_file(temporary_folder() + "/net.onnx", sides, info);
}
std::string input(const std::string& path) { return "dnninput model=" + path; }

/// A network whose output is `table`, as text, of `rows` x `columns`. Element 2 x columns + 4 is
/// the first element of the input instead.
std::string network_of(int rows, int columns, const std::string& table) {
  const std::string path = temporary_folder() + "/network.cl";
  std::ofstream(path) << "//!STAGE network A network whose output is known\n"
                      << "constant float known[" << rows * columns << "] = {" << table << "};\n"
                      << "//!READ image float32 shape=3," << kWidth * kHeight
                      << " from=dnn-input\n//!WRITE out float32 shape=" << rows << "," << columns
                      << " as=dnn-output\n//!MAP\nint i = y * " << columns << " + x;\n"
                      << "out = i == " << 2 * columns + 4 << " ? image[0] : known[i];\n";
  return "kernelstage location=" + path;
}

// Centre, size, objectness, person, car. The third is as likely as the padding of the input makes
// it: (255 - 10) / 255.
std::string known_network() {
  return network_of(4, 7,
                    "12, 8, 8, 4, 1, 0.9f, 0.2f,  12, 8, 8, 5, 1, 0.6f, 0,"
                    "2, 8, 4, 8, 0, 0, 0.9f,  12, 8, 8, 4, 0.4f, 1, 0");
}
std::string boxes(const std::string& path, const std::string& properties = "") {
  return "dnnboxes model=" + path + " " + properties;
}

/// Properties of a stage alone on each device that there is.
std::vector<std::string> devices() {
  std::vector<std::string> all{" device=cpu"};
  if (have_opencl_device()) all.emplace_back(" device=opencl opencl-device=any");
  return all;
}

const std::vector<float>& tensor_of(const Result& result) { return result.tensors.at("dnn-input"); }

void expect_near(const std::vector<float>& wanted, const std::vector<float>& found, double most) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(found[i], wanted[i], most) << i;
}

/// What dnninput has to make of frame `index`, which is planar and 4:2:0, or grey.
std::vector<float> expected_input(int index, Size size, bool grey) {
  const std::vector<uint8_t> all = pixels(index, size, grey ? "GRAY8" : "I420");
  GstVideoInfo video;
  gst_video_info_set_format(&video, grey ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_I420,
                            static_cast<guint>(size.width), static_cast<guint>(size.height));
  const int half_width = (size.width + 1) / 2, half_height = (size.height + 1) / 2;
  network::YuvFrame frame{{all.data(), size.width, size.height, video.stride[0]}, {}, {}};
  network::InputTransform::Frame layout{size.width, size.height};
  if (!grey) {
    frame.u = {all.data() + video.offset[1], half_width, half_height, video.stride[1]};
    frame.v = {all.data() + video.offset[2], half_width, half_height, video.stride[2]};
    layout = {size.width, size.height, half_width, half_height, {0.299, 0.114, 16, 219, 128, 224}};
  }
  network::ModelInfo info;
  info.colors = network::ModelInfo::Colors::bgr;
  info.mean = {10, 20, 30};
  info.deviation = {255, 128, 64};
  info.padding = 255;
  std::vector<float> wanted(std::size_t{3} * kWidth * kHeight);
  network::network_input_ref(frame, {info, 3, kWidth, kHeight, layout}, wanted.data(),
                             {0, kHeight});
  return wanted;
}

TEST(NetworkInput, HasTheColoursOfTheFrame) {
  for (const std::string& on : devices()) {
    for (const Size size : {kSize, Size{61, 33}, Size{1, 1}}) {
      for (const char* format : {"GRAY8", "I420"}) {
        SCOPED_TRACE(on + " " + caps_text(size, format));
        Stream stream(input(model()) + on, size, format);
        const std::vector<Result> results = stream.run(2);
        ASSERT_EQ(indices(results), count_to(2));
        for (const Result& result : results) {
          EXPECT_EQ(result.pixels, pixels(result.index, size, format));
          expect_near(expected_input(result.index, size, format == std::string("GRAY8")),
                      tensor_of(result), 1e-4);
        }
        EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
      }
    }
  }
}

// Elements of GStreamer repack the planes without a loss within each group.
TEST(NetworkInput, PlanesMayLieInAnyOrder) {
  const std::vector<std::vector<const char*>> groups{
      {"I420", "YV12", "NV12", "NV21"}, {"Y42B", "NV16", "NV61"}, {"Y444", "NV24"}, {"Y41B"}};
  for (const std::string& on : devices()) {
    for (const std::vector<const char*>& group : groups) {
      std::vector<float> wanted;
      for (const char* format : group) {
        SCOPED_TRACE(on + " " + format);
        Stream stream("videoconvert ! video/x-raw,format=" + std::string(format) + " ! " +
                          input(model()) + on,
                      {38, 22}, group[0]);
        const std::vector<Result> results = stream.run(1);
        ASSERT_EQ(results.size(), 1U);
        if (wanted.empty()) wanted = tensor_of(results[0]);
        expect_near(wanted, tensor_of(results[0]), 1e-5);
      }
    }
  }
}

TEST(NetworkInput, ANetworkOfOneChannelGetsLuma) {
  Stream stream(
      input(model("[tandem]\ndecoder=none\nfit=stretch\n", {1, 1, 16, 48})) + " device=cpu", kSize,
      "GRAY8");
  const std::vector<Result> results = stream.run(1);
  ASSERT_EQ(results.size(), 1U);
  const std::vector<uint8_t> luma = pixels(0, kSize);
  expect_near({luma.begin(), luma.end()}, tensor_of(results[0]), 1e-3);
}

void expect_known_boxes(const Result& result) {
  ASSERT_EQ(result.boxes.size(), 2U) << "frame " << result.index;
  const Box &car = result.boxes[1], &person = result.boxes[0];
  EXPECT_EQ(person.label, "person");
  EXPECT_EQ(std::tie(person.x, person.y, person.width, person.height), std::tuple(16, 4, 16, 8));
  EXPECT_NEAR(person.confidence, 0.9, 1e-6);
  EXPECT_EQ(car.label, "car");
  EXPECT_EQ(std::tie(car.x, car.y, car.width, car.height), std::tuple(0, 0, 8, 16));
  EXPECT_NEAR(car.confidence, 0.9 * (255 - 10) / 255, 1e-5);
}

TEST(NetworkBoxes, AloneOnEachDevice) {
  for (const std::string& on : devices()) {
    Stream stream(
        input(model()) + on + " ! " + known_network() + on + " ! " + boxes(model(), "device=cpu"),
        kSize, "NV12");
    const std::vector<Result> results = stream.run(3);
    ASSERT_EQ(indices(results), count_to(3));
    for (const Result& result : results) expect_known_boxes(result);
  }
}

TEST(NetworkBoxes, EveryConfigurationFindsTheSame) {
  const std::string path = model();
  const std::string stages = input(path) + " ! " + known_network() + " ! " + boxes(path);
  for (const Configuration& c : all_configurations(3, 2, have_opencl_device() ? 7 : 0)) {
    SCOPED_TRACE(to_string(c));
    Stream stream(bin_of(stages, "keep-tensors=true " + properties_of(c)), kSize, "I420");
    const std::vector<Result> results = stream.run(4);
    ASSERT_EQ(indices(results), count_to(4));
    EXPECT_EQ(stream.configuration()[2], 'c') << stream.configuration();
    for (const Result& result : results) {
      expect_known_boxes(result);
      expect_near(expected_input(result.index, kSize, false), tensor_of(result), 1e-4);
    }
  }
}

std::size_t boxes_with(const std::string& properties) {
  Stream stream(input(model()) + " device=cpu ! " + known_network() + " device=cpu ! " +
                    boxes(model(), properties),
                kSize);
  const std::vector<Result> results = stream.run(1);
  return results.empty() ? 99 : results[0].boxes.size();
}

TEST(NetworkBoxes, ObeysItsProperties) {
  EXPECT_EQ(boxes_with("threshold=0.89"), 1U);
  EXPECT_EQ(boxes_with("threshold=0.95"), 0U);
  EXPECT_EQ(boxes_with("threshold=0.3"), 2U);
  EXPECT_EQ(boxes_with("threshold=0.3 max-overlap=1"), 4U);
  EXPECT_EQ(boxes_with("max-detections=1"), 1U);
  EXPECT_EQ(boxes_with("labels=car"), 1U);
  EXPECT_EQ(boxes_with("labels=\"car, person\""), 2U);
}

// Logits below the threshold are nothing found, without any error.
TEST(NetworkBoxes, LogitsThatAreReadAsProbabilitiesAreReportedOnce) {
  const std::string path = model();
  for (const char* configuration : {"threads=1", "threads=3"}) {
    Stream stream(
        bin_of(input(path) + " ! " + network_of(1, 7, "12, 8, 8, 4, -2.5f, -0.9f, -0.2f") + " ! " +
                   boxes(path, "name=boxes"),
               configuration),
        kSize);
    stream.play();
    stream.push(0, 3);
    for (const Result& result : stream.pull(3)) EXPECT_TRUE(result.boxes.empty());
    g_object_set(stream.element("boxes"), "threshold", 0.4, nullptr);
    stream.push(3, 6);
    stream.end();
    EXPECT_EQ(stream.pull_all().size(), 3U);
    const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].source, "boxes");
    EXPECT_NE(warnings[0].text.find("write scores=sigmoid"), std::string::npos) << warnings[0].text;
    EXPECT_NE(warnings[0].text.find("'" + path + ".modelinfo'"), std::string::npos);
  }
}

TEST(NetworkBoxes, ThresholdsMayChangeInMidStream) {
  Stream stream(bin_of(input(model()) + " ! " + known_network() + " ! " +
                       boxes(model(), "name=boxes threshold=0.95")),
                kSize);
  stream.play();
  stream.push(0, 2);
  for (const Result& result : stream.pull(2)) EXPECT_TRUE(result.boxes.empty());
  g_object_set(stream.element("boxes"), "threshold", 0.5, nullptr);
  stream.push(2, 4);
  stream.end();
  const std::vector<Result> results = stream.pull_all();
  ASSERT_EQ(results.size(), 2U);
  expect_known_boxes(results.back());
}

TEST(NetworkBoxes, FramesMayChangeTheirSize) {
  Stream stream(bin_of(input(model()) + " ! " + known_network() + " ! " + boxes(model())), kSize);
  stream.play();
  stream.push(0, 2);
  stream.caps({24, 16});
  stream.push(2, 4);
  stream.end();
  const std::vector<Result> results = stream.pull_all();
  ASSERT_EQ(indices(results), count_to(4));
  for (const Result& result : results) {
    ASSERT_FALSE(result.boxes.empty());
    if (result.index < 2) expect_known_boxes(result);
    if (result.index >= 2) {
      EXPECT_EQ(result.boxes[0].x, 8U);
      EXPECT_EQ(result.boxes[0].y, 6U);
    }
  }
}

TEST(NetworkClasses, AreThoseOfTheFrame) {
  const std::string path =
      model("[tandem]\ndecoder=classes\nscores=softmax\nlabels=coast,forest,street\nmean=127\n");
  const std::string stages = input(path) + " ! " + network_of(1, 3, "1, 3, 2") + " ! ";
  const double best = 1 / (std::exp(-2.0) + 1 + std::exp(-1.0));
  Stream stream(bin_of(stages + boxes(path)), kSize);
  const std::vector<Result> results = stream.run(2);
  ASSERT_EQ(indices(results), count_to(2));
  for (const Result& result : results) {
    ASSERT_EQ(result.boxes.size(), 1U);
    EXPECT_EQ(result.boxes[0].label, "forest");
    EXPECT_EQ(result.boxes[0].width, static_cast<unsigned>(kSize.width));
    EXPECT_NEAR(result.boxes[0].confidence, best, 1e-6);
  }
  for (const char* none : {"threshold=0.7", "labels=coast"}) {
    Stream strict(bin_of(stages + boxes(path, none)), kSize);
    const std::vector<Result> frames = strict.run(1);
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_TRUE(frames[0].boxes.empty());
  }
}

void expect_error(const std::string& line, const std::vector<std::string>& parts) {
  expect_stream_error(line, kSize, parts);
}

TEST(BadNetwork, IsNamed) {
  const std::string missing = temporary_folder() + "/nowhere.onnx";
  const std::string foreign = temporary_folder() + "/foreign.onnx";
  std::ofstream(foreign) << "this is no network";
  expect_error("dnninput device=cpu", {"dnninput has no network", "model"});
  expect_error("dnninput device=cpu model=" + missing, {missing});
  expect_error("dnninput device=cpu model=" + foreign, {foreign, "it is not an ONNX file"});
  for (const std::vector<int>& sides :
       {std::vector<int>{1, 16, 24, 3}, {2, 3, 16, 24}, {1, 3, 16, 9000}, {3, 16, 24}, {}})
    expect_error(input(model(kInfo, sides)) + " device=cpu",
                 {"net.onnx", "1 x channels x height x width"});
  expect_error(input(model(kInfo, {1, 3, 0, 24})) + " device=cpu", {"net.onnx", "no elements"});
  expect_error(boxes(model()), {"dnnboxes needs the tensor 'dnn-output', which dnnstage makes"});
}

TEST(BadNetwork, WithoutModelInformationSaysWhatToWrite) {
  const std::string bare = network_model_file(temporary_folder() + "/bare.onnx", kSides, "");
  for (const std::string& line :
       {input(bare) + " device=cpu",
        input(model()) + " device=cpu ! " + known_network() + " device=cpu ! " + boxes(bare)})
    expect_error(line, {".onnx.modelinfo'", "[tandem]", "decoder", "labels", "colors", "mean"});
  expect_error(input(model("[tandem]\ndecoder=yolo5\n")) + " device=cpu",
               {"net.onnx.modelinfo' line 2 ('decoder') has 'yolo5': write nanodet"});
}

TEST(BadNetwork, WhoseOutputIsAnotherIsRefused) {
  const auto with = [](const std::string& info, const std::string& properties = "") {
    return input(model(info)) + " device=cpu ! " + known_network() + " device=cpu ! " +
           boxes(model(info), properties);
  };
  expect_error(with("[tandem]\ndecoder=yolov5\nlabels=person\n"),
               {"has 2 classes, but 1 are named", "`labels`"});
  expect_error(with("[tandem]\ndecoder=nanodet\nlabels=person\n"), {"`bins`"});
  expect_error(with("[tandem]\ndecoder=classes\nlabels=person\n"), {"has 28 classes"});
  expect_error(with("[tandem]\ndecoder=none\n"), {"write nanodet, ssd, yolov5, yolov8 or yolox"});
  expect_error(input(model()) + " device=cpu ! " + network_of(1, 7, "12, 8, 8, 4, 2, 0.9f, 0.2f") +
                   " device=cpu ! " + boxes(model()),
               {"a score of 2.0", "write sigmoid or softmax into `scores`"});
  expect_error(with(kInfo, "labels=persn"), {"unknown label 'persn'", "person, car"});
}

}  // namespace
}  // namespace tandem::test
