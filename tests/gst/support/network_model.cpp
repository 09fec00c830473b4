// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/network_model.h"

#include <filesystem>
#include <fstream>

#include "tests/gst/support/frames.h"

namespace tandem::test {
namespace {

std::string varint(unsigned value) {
  std::string bytes;
  for (; value >= 128; value /= 128) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

// Fields of protocol buffers.
std::string number(unsigned field, unsigned value) { return varint(8 * field) + varint(value); }
std::string message(unsigned field, const std::string& bytes) {
  return varint(8 * field + 2) + varint(static_cast<unsigned>(bytes.size())) + bytes;
}

}  // namespace

std::string network_model_file(const std::string& name, const std::vector<int>& sides,
                               const std::string& info) {
  // Numbers of fields are those of onnx.proto.
  std::string shape;
  for (const int side : sides) shape += message(1, number(1, static_cast<unsigned>(side)));
  const std::string type = message(1, number(1, 1) + message(2, shape));  // of floats
  const std::string identity = message(1, "image") + message(2, "same") + message(4, "Identity");
  const std::string graph = message(1, identity) +
                            message(11, message(1, "image") + message(2, type)) +
                            message(12, message(1, "same"));
  const std::string opset = message(8, number(2, 13));
  const std::string path = temporary_folder() + "/" + name + ".onnx";
  std::ofstream(path, std::ios::binary) << number(1, 8) << message(7, graph) << opset;
  std::filesystem::remove(path + ".modelinfo");
  if (!info.empty()) std::ofstream(path + ".modelinfo") << info;
  return path;
}

}  // namespace tandem::test
