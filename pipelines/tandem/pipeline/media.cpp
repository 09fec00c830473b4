// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/media.h"

#include <fcntl.h>
#include <gst/pbutils/missing-plugins.h>
#include <gst/tandem/private/ref.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "files/ascii.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/same_file.h"
#include "pipelines/tandem/output/text_output.h"
#include "pipelines/tandem/pipeline/text.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// A constant quality or a generous rate, and speed before size: the cores have other work. No
// B-frames: MP4 files with them end before their last frames where the distance of frames varies.
#define X264 "x264enc speed-preset=veryfast pass=quant quantizer=23 bframes=0"
#define OPENH264 "openh264enc bitrate=6000000 ! h264parse"
#define MPEG4 "avenc_mpeg4 pass=quant quantizer=4"
#define VP8 "vp8enc deadline=1 cpu-used=8 target-bitrate=6000000 keyframe-max-dist=60"
#define THEORA "theoraenc quality=44 speed-level=2"

using Quirk = Encoding::Quirk;

constexpr Encoding kEncodings[] = {
    {".mp4", X264 " ! mp4mux", "gstreamer1.0-plugins-ugly", Quirk::even_sizes},
    {".mp4", OPENH264 " ! mp4mux", "gstreamer1.0-plugins-bad", Quirk::even_sizes},
    {".mp4", MPEG4 " ! mp4mux", "gstreamer1.0-libav", Quirk::same_time},
    {".mkv", X264 " ! matroskamux", "gstreamer1.0-plugins-ugly", Quirk::even_sizes},
    {".mkv", MPEG4 " ! matroskamux", "gstreamer1.0-libav", Quirk::same_time},
    {".mkv", VP8 " ! matroskamux", "gstreamer1.0-plugins-good"},
    {".mkv", "jpegenc ! matroskamux", "gstreamer1.0-plugins-good"},
    {".webm", VP8 " ! webmmux", "gstreamer1.0-plugins-good"},
    {".avi", MPEG4 " ! avimux", "gstreamer1.0-libav", Quirk::same_time},
    {".avi", "jpegenc ! avimux", "gstreamer1.0-plugins-good"},
    {".mov", X264 " ! qtmux", "gstreamer1.0-plugins-ugly", Quirk::even_sizes},
    {".mov", MPEG4 " ! qtmux", "gstreamer1.0-libav", Quirk::same_time},
    {".mov", "jpegenc ! qtmux", "gstreamer1.0-plugins-good"},
    {".ogv", THEORA " ! oggmux", "gstreamer1.0-plugins-base", Quirk::no_times},
    {".ogg", THEORA " ! oggmux", "gstreamer1.0-plugins-base", Quirk::no_times},
};

std::string apt_advice(const std::string& package) {
  return "Install it with: sudo apt-get install " + package;
}

bool exists(const std::string& factory) {
  GstElementFactory* found = gst_element_factory_find(factory.c_str());
  if (found) gst_object_unref(found);
  return found != nullptr;
}

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

std::span<const Encoding> encodings() { return kEncodings; }

bool is_available(const Encoding& encoding) {
  bool first_word = true;
  for (const std::string& word : split(encoding.description, ' ')) {
    if (word == "!") {
      first_word = true;
      continue;
    }
    if (first_word && !exists(word)) return false;
    first_word = false;
  }
  return true;
}

const Encoding& encoding_for(const std::string& path) {
  const std::string extension = ascii_lower(fs::path(path).extension().string());
  std::set<std::string> known;
  std::string package;  // of the last: the one that brings the most besides
  for (const Encoding& encoding : kEncodings) {
    known.insert(encoding.extension);
    if (extension != encoding.extension) continue;
    if (is_available(encoding)) return encoding;
    package = encoding.package;
  }
  if (!package.empty()) {
    throw Failure("no encoder for " + extension + " files is installed", apt_advice(package));
  }
  std::string list;
  for (const std::string& name : known) list += " " + name;
  throw UsageError("--output: cannot tell from the name '" + path + "' what to write; use one of" +
                   list);
}

bool stores_times(std::string_view extension) {
  return extension != ".avi" && !extension.starts_with(".og");
}

void check_can_stream(const std::string& option, const std::string& path) {
  std::error_code error;
  const std::string extension = ascii_lower(fs::path(path).extension().string());
  if (!fs::is_fifo(path, error) || extension == ".mkv" || extension == ".webm" ||
      extension.starts_with(".og"))
    return;
  throw UsageError(option + ": a " + extension + " file cannot be written into a pipe, '" + path +
                   "'; .mkv, .webm and .ogv can");
}

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
  const Text uri(gst_filename_to_uri(input.c_str(), nullptr));
  if (!uri) throw Failure("'" + input + "' cannot be used as a file name");
  return uri.get();
}

std::string open_fifo(const std::string& uri) {
  const Text path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
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

void check_output_file(const std::string& option, const std::string& path) {
  if (names_standard_output(path)) {
    throw UsageError(option +
                     ": this file cannot be written to standard output; name a file (./- if its "
                     "name is to be -)");
  }
  const fs::path file(path);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::exists(folder, error)) {
    throw Failure(option + ": there is no folder '" + folder.string() + "'",
                  "Make it with: mkdir -p '" + folder.string() + "'");
  }
  if (!fs::is_directory(folder, error)) {
    throw Failure(option + ": '" + folder.string() + "' is not a folder");
  }
  if (fs::is_directory(file, error)) {
    throw Failure(option + ": '" + path + "' is a folder; give the name of a file in it");
  }
  const bool there = fs::exists(file, error);
  if (access(there ? path.c_str() : folder.c_str(), W_OK) != 0) {
    throw Failure(option + ": no permission to write '" + path + "'");
  }
  claim_output(option, path);
}

std::string advice_for_element(const std::string& factory) {
  if (factory.starts_with("tandem") || factory.starts_with("vivid")) {
    return "The Tandem plugin is not found: run inside `meson devenv -C build`, or set "
           "GST_PLUGIN_PATH to the folder of libgsttandem.so.";
  }
  static constexpr const char* kGood[] = {"pngenc", "v4l2src", "autovideosink", "jpegenc",
                                          "videoflip"};
  const bool good = std::any_of(std::begin(kGood), std::end(kGood),
                                [&](const char* name) { return factory == name; });
  return apt_advice(good ? "gstreamer1.0-plugins-good" : "gstreamer1.0-plugins-base");
}

std::string advice_for_missing_plugin(GstMessage* message) {
  // "gstreamer|1.0|program|description|decoder-video/x-h264, ..."
  const Text detail(gst_missing_plugin_message_get_installer_detail(message));
  const std::string kind = detail ? split(detail.get(), '|').back() : "";
  if (kind.starts_with("urisource-http")) return apt_advice("gstreamer1.0-plugins-good");
  if (kind.starts_with("urisource-")) return apt_advice("gstreamer1.0-plugins-bad");
  if (kind.find("video/x-av1") != std::string::npos) {
    return apt_advice("gstreamer1.0-plugins-bad gstreamer1.0-libav");
  }
  return apt_advice("gstreamer1.0-libav gstreamer1.0-plugins-good gstreamer1.0-plugins-bad");
}

}  // namespace tandem
