// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/network/networkmodel.h"

#include <stdexcept>
#include <system_error>

#include "files/utf8.h"

namespace tandem {
namespace {

std::string checked(const std::string& path, const std::string& element) {
  if (path.empty())
    throw std::runtime_error(element + " has no network: set its property model to an ONNX file.");
  return path;
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
    : input(network::read_input_size(checked(path, element))),
      info(network::read_model_info(path)),
      name(stem_of(path)) {}

network::Placement placement_of(const NetworkModel& model, const GstVideoInfo& video) {
  return network::place_frame(GST_VIDEO_INFO_WIDTH(&video), GST_VIDEO_INFO_HEIGHT(&video),
                              model.input.width, model.input.height, model.info.fit);
}

}  // namespace tandem
