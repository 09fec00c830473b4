// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/input/input_uri.h"

#include <fcntl.h>
#include <gst/gst.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/glib_owned.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::string camera_uri(const std::string& device) {
  if (!fs::exists(device)) {
    throw Failure("there is no camera at " + device,
                  "Cameras are called /dev/video0, /dev/video1, ...; give one with --input.");
  }
  if (access(device.c_str(), R_OK | W_OK) != 0) {
    throw Failure("no permission to use the camera " + device,
                  "Add yourself to its group with: sudo adduser $USER video (then log in again)");
  }
  return "v4l2://" + device;
}

}  // namespace

std::string input_uri(const std::string& input) {
  if (input == "camera") return camera_uri("/dev/video0");
  if (input.starts_with("/dev/video")) return camera_uri(input);
  std::error_code error;
  const fs::file_status status = fs::status(input, error);
  // "gate:12.mp4" may be a file.
  if (!fs::exists(status) && gst_uri_is_valid(input.c_str())) return input;
  if (!fs::exists(status)) throw Failure("there is no file '" + input + "'");
  if (fs::is_directory(status)) throw Failure("'" + input + "' is a folder, not a video file");
  if (access(input.c_str(), R_OK) != 0) throw Failure("no permission to read '" + input + "'");
  const GlibString uri(gst_filename_to_uri(input.c_str(), nullptr));
  if (!uri) throw Failure("'" + input + "' cannot be used as a file name");
  return uri.get();
}

std::string open_fifo(const std::string& uri) {
  const GlibString path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  std::error_code error;
  if (!path || !fs::is_fifo(path.get(), error)) return uri;
  const int opened = open(path.get(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (opened < 0) {
    throw Failure("'" + std::string(path.get()) + "' cannot be opened: " + std::strerror(errno));
  }
  return "fd://" + std::to_string(opened);
}

std::string demo_video() {
  const char* named = std::getenv("TANDEM_DEMO_VIDEO");
  std::error_code ignored;
  for (const char* path : {named, "/usr/share/doc/opencv-doc/examples/data/vtest.avi"}) {
    if (path && fs::is_regular_file(path, ignored)) return path;
  }
  return {};
}

}  // namespace tandem
