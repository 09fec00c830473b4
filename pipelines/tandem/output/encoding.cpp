// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/output/encoding.h"

#include <gst/gst.h>

#include <filesystem>
#include <set>

#include "files/ascii.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/package_advice.h"

namespace tandem {
namespace {

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

bool exists(const std::string& factory) {
  GstElementFactory* found = gst_element_factory_find(factory.c_str());
  if (found) gst_object_unref(found);
  return found != nullptr;
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
  const std::string extension = ascii_lower(std::filesystem::path(path).extension().string());
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
  throw UsageError("--output: the name '" + path + "' has no known ending; use one of" + list);
}

bool stores_times(std::string_view extension) {
  return extension != ".avi" && !extension.starts_with(".og");
}

}  // namespace tandem
