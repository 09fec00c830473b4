// SPDX-License-Identifier: LGPL-2.1-or-later
// The network's own stage, on a network of two outputs.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "kernels/network/network.h"
#include "model/configuration.h"
#include "tests/gst/support/stream.h"
#include "tests/kernels/network/onnx/model_builder.h"

namespace tandem::test {
namespace {

constexpr int kWidth = 24, kHeight = 16;
constexpr Size kSize{48, 32};

std::vector<float> waves(std::size_t count, float height = 1) {
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = height * std::sin(static_cast<float>(i));
  return all;
}

/// Writes NAME.onnx with an input of 3 channels, and its model information.
std::string save(const network::test::ModelBuilder& built, const std::string& name = "net") {
  const std::string path = temporary_folder() + "/" + name + ".onnx";
  built.write(path);
  std::ofstream(path + ".modelinfo") << "[tandem]\ndecoder=none\ndeviation=255\n";
  return path;
}

network::test::ModelBuilder two_outputs(int width = kWidth) {
  network::test::ModelBuilder built;
  built.input("image", {1, 3, kHeight, width});
  built.weight("weights", {8, 3, 3, 3}, waves(8 * 3 * 3 * 3));
  built.node("Conv", {"image", "weights"}, {"conv"});
  built.node("Relu", {"conv"}, {"features"});
  built.node("GlobalAveragePool", {"features"}, {"mean"});
  built.output("features");
  built.output("mean");
  return built;
}

/// Its second layer is large enough that two cores divide it.
network::test::ModelBuilder wide() {
  network::test::ModelBuilder built;
  built.input("image", {1, 3, kHeight, kWidth});
  built.weight("few", {64, 3, 1, 1}, waves(64 * 3));
  built.weight("many", {64, 64, 1, 1}, waves(64 * 64, 1.0f / 64));
  built.node("Conv", {"image", "few"}, {"first"});
  built.node("Conv", {"first", "many"}, {"second"});
  built.node("Relu", {"second"}, {"features"});
  built.output("features");
  return built;
}

std::string stages(const std::string& path, const std::string& on = "") {
  return "dnninput model=" + path + on + " ! dnnstage model=" + path + on;
}

void expect_outputs(const Result& result, const network::Network& network) {
  std::vector<std::vector<float>> wanted;
  std::vector<float*> outputs;
  for (const int output : network.outputs) {
    wanted.emplace_back(static_cast<std::size_t>(network::elements(network.of(output).shape)));
    outputs.push_back(wanted.back().data());
  }
  const std::vector<const float*> inputs{result.tensors.at("dnn-input").data()};
  network::network_ref(network, inputs, outputs);
  for (std::size_t o = 0; o < wanted.size(); ++o) {
    const std::vector<float>& found =
        result.tensors.at(o == 0 ? "dnn-output" : "dnn-output-" + std::to_string(o));
    ASSERT_EQ(found.size(), wanted[o].size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], wanted[o][i], 1e-4) << "output " << o << ", element " << i;
  }
}

TEST(DnnStage, AloneOnEachDevice) {
  const std::string path = save(two_outputs());
  for (const std::string on : {" device=cpu", " device=opencl opencl-device=any"}) {
    if (on != " device=cpu" && !have_opencl_device()) continue;
    Stream stream(stages(path, on), kSize);
    const std::vector<Result> results = stream.run(3);
    ASSERT_EQ(indices(results), count_to(3));
    for (const Result& result : results) expect_outputs(result, network::read_network(path));
  }
}

TEST(DnnStage, EveryConfigurationComputesTheSame) {
  const std::string path = save(two_outputs());
  const network::Network network = network::read_network(path);
  for (const Configuration& c : all_configurations(2, 2, have_opencl_device() ? 3 : 0)) {
    SCOPED_TRACE(to_string(c));
    Stream stream(bin_of(stages(path), "keep-tensors=true " + properties_of(c)), kSize);
    const std::vector<Result> results = stream.run(6);
    ASSERT_EQ(indices(results), count_to(6));
    for (const Result& result : results) expect_outputs(result, network);
  }
}

TEST(DnnStage, TheCoresShareAFrame) {
  const std::string path = save(wide());
  Stream stream(bin_of(stages(path), "keep-tensors=true granularity=mg mapping=cc"), kSize);
  const std::vector<Result> results = stream.run(20);
  ASSERT_EQ(indices(results), count_to(20));
  for (const Result& result : results) expect_outputs(result, network::read_network(path));
}

TEST(DnnStage, ReadsAFileAnewThatHasChanged) {
  const std::string path = save(two_outputs());
  for (const int width : {kWidth, 2 * kWidth}) {
    save(two_outputs(width));
    Stream stream(bin_of(stages(path), "keep-tensors=true"), kSize);
    const std::vector<Result> results = stream.run(1);
    ASSERT_EQ(results.size(), 1U);
    expect_outputs(results[0], network::read_network(path));
  }
}

// dnninput kept the size that the file had first.
TEST(DnnStage, ReadsAFileAnewInTheSameElements) {
  const std::string path = save(two_outputs());
  Stream stream(bin_of(stages(path), "keep-tensors=true"), kSize);
  for (const int width : {kWidth, 2 * kWidth}) {
    save(two_outputs(width));
    const std::vector<Result> results = stream.run(1);
    ASSERT_EQ(results.size(), 1U);
    expect_outputs(results[0], network::read_network(path));
    stream.set_state(GST_STATE_NULL);
  }
}

TEST(DnnStage, StopsInMidStream) {
  const std::string path = save(wide());
  for (const std::string how : {"threads=3", "granularity=mg mapping=cc"}) {
    Stream stream(bin_of(stages(path), how), kSize);
    stream.play();
    stream.push(0, 50);
    stream.set_state(GST_STATE_NULL);
  }
}

void expect_refusal(const std::string& line, const std::vector<std::string>& parts) {
  expect_stream_error(line, kSize, parts);
}

TEST(DnnStage, SaysWhatIsWrong) {
  const std::string path = save(two_outputs());
  const std::string input = "dnninput device=cpu model=" + path + " ! ";
  expect_refusal(input + "dnnstage device=cpu", {"dnnstage has no network", "model"});
  expect_refusal("dnnstage device=cpu model=" + path, {"'dnn-input'", "dnninput"});
  expect_refusal(input + "dnnstage device=cpu model=" + save(two_outputs(2 * kWidth), "other"),
                 {"other.onnx", "set the same `model`"});
}

// Whichever element is the first to read it.
TEST(DnnStage, EachElementRefusesABadFile) {
  const std::string good = save(two_outputs());
  const auto expect_refused = [&](const network::test::ModelBuilder& built,
                                  const std::vector<std::string>& parts) {
    const std::string bad = save(built, "bad"), on = " device=cpu";
    for (const std::string& line :
         {stages(bad, on), "dnninput model=" + good + on + " ! dnnstage model=" + bad + on,
          stages(good, on) + " ! dnnboxes model=" + bad + on}) {
      SCOPED_TRACE(line);
      expect_refusal(line, parts);
    }
  };
  network::test::ModelBuilder unknown = two_outputs();
  unknown.node("LSTM", {"mean"}, {"sequence"});
  expect_refused(unknown, {"bad.onnx", "LSTM", "the LSTM"});
  network::test::ModelBuilder two_inputs = two_outputs();
  two_inputs.input("further", {1, 8, 1, 1});
  two_inputs.node("Add", {"mean", "further"}, {"sum"});
  two_inputs.output("sum");
  expect_refused(two_inputs, {"bad.onnx", "2 inputs", "export it with one"});
  network::test::ModelBuilder many = two_outputs();
  for (int i = 0; i < 6; ++i) {
    many.node("Relu", {"mean"}, {"further" + std::to_string(i)});
    many.output("further" + std::to_string(i));
  }
  expect_refused(many, {"bad.onnx", "8 outputs", "at most 6"});
}

// The file is exchanged for one that no element could read, with the same time and size.
TEST(DnnStage, PipelinesOfAProcessShareTheNetwork) {
  const std::string path = save(two_outputs());
  Stream first(bin_of(stages(path), "keep-tensors=true"), kSize);
  first.play();
  first.push(0, 1);
  const std::vector<Result> results = first.pull(1);
  ASSERT_EQ(results.size(), 1U);
  const network::Network network = network::read_network(path);
  const auto time = std::filesystem::last_write_time(path);
  const std::string garbage(std::filesystem::file_size(path), 'x');
  std::ofstream(path, std::ios::binary) << garbage;
  std::filesystem::last_write_time(path, time);
  for (int i = 0; i < 2; ++i) {
    Stream further(bin_of(stages(path), "keep-tensors=true"), kSize);
    const std::vector<Result> again = further.run(1);
    ASSERT_EQ(again.size(), 1U);
    expect_outputs(again[0], network);
  }
}

}  // namespace
}  // namespace tandem::test
