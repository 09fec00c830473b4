// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem::network {

/// The image that a network takes.
struct InputSize {
  int channels = 0;           ///< 1 or 3
  int width = 0, height = 0;  ///< pixels
};

/// Most pixels a side of a network's input.
inline constexpr int kMostInputSide = 8192;

/// Reads the input's shape alone from an ONNX file. Throws std::runtime_error that names the file
/// and says what to do, unless it has one input of 1 x C x H x W with 1 or 3 channels.
InputSize read_input_size(const std::string& onnx_path);

}  // namespace tandem::network
