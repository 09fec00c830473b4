// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/network/networkmodel.h"

#include <system_error>

#include "files/utf8.h"
#include "gst/elements/network/sharednetwork.h"

namespace tandem {
namespace {

InputSize input_size_of(const network::Network& network) {
  const network::Shape& sides = network.of(network.inputs[0]).shape;
  return {static_cast<int>(sides[1]), static_cast<int>(sides[3]), static_cast<int>(sides[2])};
}

std::string stem_of(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  return !stem.empty() && is_utf8(stem) ? stem : "network";
}

}  // namespace

FileVersion version_of(const std::string& path) {
  std::error_code unreadable;  // reading it reports the reason
  return {path, std::filesystem::last_write_time(path, unreadable),
          std::filesystem::file_size(path, unreadable)};
}

ModelVersion model_version_of(const std::string& path) {
  return {version_of(path), version_of(path + ".modelinfo"),
          version_of(std::filesystem::path(path).replace_extension(".modelinfo").string())};
}

NetworkModel::NetworkModel(const std::string& path, const std::string& element, const ModelVersion&)
    : network(shared_network(path, element)),
      input(input_size_of(*network)),
      info(network::read_model_info(path)),
      name(stem_of(path)) {}

network::Placement placement_of(const NetworkModel& model, const GstVideoInfo& video) {
  return network::place_frame(GST_VIDEO_INFO_WIDTH(&video), GST_VIDEO_INFO_HEIGHT(&video),
                              model.input.width, model.input.height, model.info.fit);
}

}  // namespace tandem
