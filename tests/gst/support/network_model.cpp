// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/network_model.h"

#include <filesystem>
#include <fstream>

namespace tandem::test {
namespace {

std::string varint(unsigned value) {
  std::string bytes;
  for (; value >= 128; value /= 128) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

// Fields of protocol buffers. Their numbers are those of onnx.proto.
std::string number(unsigned field, unsigned value) { return varint(8 * field) + varint(value); }
std::string message(unsigned field, const std::string& bytes) {
  return varint(8 * field + 2) + varint(static_cast<unsigned>(bytes.size())) + bytes;
}

// Parts of a graph.
std::string node(const char* operation, const std::vector<std::string>& inputs,
                 const std::string& output) {
  std::string bytes;
  for (const std::string& input : inputs) bytes += message(1, input);
  return message(1, bytes + message(2, output) + message(4, operation));
}

template <typename Element>
std::string weight(const std::string& name, const std::vector<int>& sides,
                   const std::vector<Element>& elements) {
  constexpr unsigned kType = sizeof(Element) == sizeof(float) ? 1 : 7;  // FLOAT, INT64
  std::string bytes;
  for (const int side : sides) bytes += number(1, static_cast<unsigned>(side));
  const std::string raw(reinterpret_cast<const char*>(elements.data()),
                        elements.size() * sizeof(Element));
  return message(5, bytes + number(2, kType) + message(8, name) + message(9, raw));
}

std::string image_input(const std::vector<int>& sides) {
  std::string shape;
  for (const int side : sides) shape += message(1, number(1, static_cast<unsigned>(side)));
  const std::string type = message(1, number(1, 1) + message(2, shape));  // of floats
  return message(11, message(1, "image") + message(2, type));
}

std::string write_model(const std::string& path, const std::string& graph,
                        const std::string& info) {
  const std::string opset = message(8, number(2, 13)), output = message(12, message(1, "output"));
  std::ofstream(path, std::ios::binary) << number(1, 8) << message(7, graph + output) << opset;
  std::filesystem::remove(path + ".modelinfo");
  if (!info.empty()) std::ofstream(path + ".modelinfo") << info;
  return path;
}

}  // namespace

std::string network_model_file(const std::string& path, const std::vector<int>& sides,
                               const std::string& info) {
  return write_model(path, image_input(sides) + node("Identity", {"image"}, "output"), info);
}

std::string person_network_file(const std::string& path) {
  // The values of one place: centre, size, and the scores of two classes.
  constexpr float kScore = static_cast<float>(kPersonConfidence);
  const std::string weights = weight<float>("weights", {6, 1, 1, 1}, {1.0f / 8, 0, 0, 0, 0, 0}) +
                              weight<float>("bias", {6}, {12, 24, 16, 24, kScore, 0.1f}) +
                              weight<int64_t>("shape", {3}, {1, 6, 1});
  const std::string nodes = node("GlobalAveragePool", {"image"}, "mean") +
                            node("Conv", {"mean", "weights", "bias"}, "values") +
                            node("Reshape", {"values", "shape"}, "output");
  return write_model(path,
                     image_input({1, 1, kPersonFrameHeight, kPersonFrameWidth}) + weights + nodes,
                     "[tandem]\ndecoder=yolov8\nfit=stretch\nlabels=person,car\n");
}

}  // namespace tandem::test
