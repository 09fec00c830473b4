// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>

#include "kernels/network/model_info.h"
#include "kernels/network/network.h"
#include "kernels/network_input/transform.h"

/// Shared by the elements around a network: names of tensors, the model and its geometry.
namespace tandem {

/// float32 [1, channels, height, width]: the frame in the form of the network's input.
inline constexpr char kDnnInput[] = "dnn-input";
/// float32 [sides of the network's output]: the output of the network.
inline constexpr char kDnnOutput[] = "dnn-output";

/// The text of the property `model`, the same for all elements.
inline constexpr char kModelBlurb[] =
    "ONNX file of the network. MODEL.modelinfo beside it has colours, mean, decoder and labels. "
    "The stages dnninput, dnnstage and dnnboxes of one network have the same model";

/// The version of a file that was read.
using FileVersion = std::tuple<std::string, std::filesystem::file_time_type, std::uintmax_t>;
FileVersion version_of(const std::string& path);

/// The ONNX file and both places of its model information.
using ModelVersion = std::array<FileVersion, 3>;
ModelVersion model_version_of(const std::string& path);

/// The input image of a network.
struct InputSize {
  int channels = 0;           ///< 1 or 3
  int width = 0, height = 0;  ///< pixels
};

/// A network and the file beside it, for the elements around it.
struct NetworkModel {
  /// `version` tells one reading from another. Throws what shared_network() and read_model_info()
  /// throw.
  NetworkModel(const std::string& path, const std::string& element, const ModelVersion& version);

  std::shared_ptr<const network::Network> network;
  InputSize input;
  network::ModelInfo info;
  std::string name;  ///< name of the file, by which readers of metadata identify the model
};

/// Where frames of this video lie in the network's input.
network::Placement placement_of(const NetworkModel& model, const GstVideoInfo& video);

}  // namespace tandem
