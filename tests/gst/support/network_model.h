// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::test {

/// Writes an ONNX file whose output is its input, an image of these sides, and PATH.modelinfo with
/// this text; empty: none. Returns `path`.
std::string network_model_file(const std::string& path, const std::vector<int>& sides,
                               const std::string& info);

/// Pixels of a frame that the network below takes unscaled.
inline constexpr int kPersonFrameWidth = 64, kPersonFrameHeight = 48;
/// A frame of GRAY8, the lighter the later it is.
inline std::vector<uint8_t> person_frame(int index) {
  return std::vector<uint8_t>(kPersonFrameWidth * kPersonFrameHeight,
                              static_cast<uint8_t>(8 * index));
}
/// Where it finds its person there.
struct PersonBox {
  int x, y = 12, width = 16, height = 24;
  explicit PersonBox(int index) : x(4 + index) {}
};
inline constexpr double kPersonConfidence = 0.9;

/// Writes an ONNX file of three nodes and its model information. The network finds one person in
/// each frame, the further to the right the lighter the frame is. Returns `path`.
std::string person_network_file(const std::string& path);

}  // namespace tandem::test
