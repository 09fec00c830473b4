// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/pipelines/containers/launch_lines.h"

namespace tandem::test {
namespace {

constexpr Way kWays[kContainers] = {
    {"Mp4", ".mp4", X264, "mp4mux"},
    {"Mov", ".mov", X264, "qtmux"},
    {"Mkv", ".mkv", X264, "matroskamux"},
    {"Webm", ".webm", "vp8enc deadline=1 keyframe-max-dist=5", "webmmux"},
    {"Avi", ".avi", "jpegenc", "avimux"},
    {"Ogv", ".ogv", "theoraenc keyframe-freq=5", "oggmux"},
    {"Ts", ".ts", X264, "mpegtsmux"},
    {"Flv", ".flv", X264, "flvmux"},
    {"Mjpeg", ".mjpeg", "jpegenc", ""},
    {"H264", ".h264", X264 " ! video/x-h264,stream-format=byte-stream", ""},
    {"Y4m", ".y4m", "y4menc", ""},
    {"Photos", "", "jpegenc", ""},
};

}  // namespace

const Way& way_of(Container container) { return kWays[static_cast<int>(container)]; }

std::string raw(int frames, const std::string& form, const std::string& source) {
  return "videotestsrc pattern=ball num-buffers=" + std::to_string(frames) + " " + source +
         " ! video/x-raw,format=I420,framerate=25/1," + form + " ! ";
}

std::string muxed(const Way& way) {
  return *way.muxer == '\0' ? "" : std::string(" ! ") + way.muxer;
}

std::string line(const Way& way, const std::string& source) {
  return source + way.encoder + muxed(way);
}

}  // namespace tandem::test
