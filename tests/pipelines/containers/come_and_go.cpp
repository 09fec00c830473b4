// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/pipelines/containers/launch_lines.h"

namespace tandem::test {
namespace {

using enum Container;
using Files = std::vector<TroubledFile>;

// Two streams of video; the first one is added first.
std::string two_videos(const Way& way, const std::string& first, const std::string& second) {
  const std::string pad =
      way.muxer == std::string("mpegtsmux") ? " ! mux.sink_30" : " ! mux.video_";
  return first + way.encoder + pad + "0 " + second + way.encoder + pad + "1 " + way.muxer +
         " name=mux";
}

// Names of request pads are no matter to most muxers.
std::string two_streams(const Way& way, const std::string& first, const std::string& second) {
  return first + way.encoder + " ! mux. " + second + " ! mux. " + way.muxer + " name=mux";
}

std::string sound(const char* encoder, const std::string& source = "") {
  return "audiotestsrc num-buffers=40 samplesperbuffer=1152 " + source +
         " ! audio/x-raw,rate=44100,channels=1 ! " + encoder;
}

constexpr char kMp3[] = "lamemp3enc ! mpegaudioparse";

// A programme of MPEG-TS with PIDs of its own; `form` empty: only sound.
std::string programme(const std::string& form, bool with_sound, int pid) {
  std::string text;
  if (!form.empty()) text += raw(24, form) + X264 " ! mux.sink_" + std::to_string(pid) + " ";
  if (with_sound) text += sound(kMp3) + " ! mux.sink_" + std::to_string(pid + 1) + " ";
  return text + "mpegtsmux name=mux";
}

Files programmes() {
  const std::string both = programme(kMain, true, 300), video = programme(kMain, false, 400),
                    others = programme(kOther, true, 500), only_sound = programme("", true, 600);
  const std::set<std::string> sizes = {"160x96", "96x128"};
  return {{.parts = {both, video}, .frames = 48},
          {.parts = {video, both}, .frames = 48},
          {.parts = {both, others}, .decoded = sizes, .frames = 48},
          {.parts = {both, only_sound}},
          {.parts = {both, others, both}, .decoded = sizes, .frames = 72},
          {.parts = {only_sound, both}},
          {.parts = {both, only_sound, both}, .frames = 48},
          {.parts = {two_videos(way_of(ts), raw(24, kPreview), raw(24, kMain))}}};
}

}  // namespace

Files come_and_go(Container container) {
  const Way& way = way_of(container);
  const std::string video = raw(24, kMain), small = raw(24, kPreview);
  const std::string late_small = raw(6, kPreview, kLate);
  const std::string photo =
      "videotestsrc num-buffers=1 ! video/x-raw,format=I420,width=320,height=240,framerate=0/1 ! ";
  const std::string sparse =
      "videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=64,height=48,framerate=1/10 ! ";
  switch (container) {
    case mp4:
    case webm:
      return {{.parts = {two_videos(way, small, video)}},
              {.parts = {two_videos(way, late_small, video)}}};
    case mov:
    case mkv: {
      const Way jpeg = {way.name, way.extension, "jpegenc", way.muxer};
      Files files = {{.parts = {two_videos(jpeg, photo, video)}},
                     {.parts = {two_videos(jpeg, small, video)}},
                     {.parts = {two_videos(way, late_small, video)}}};
      if (container == mkv) files.push_back({.parts = {two_videos(jpeg, sparse, video)}});
      return files;
    }
    case avi:
      return {{.parts = {two_streams(way, video, sound("identity", kLate))}}};
    case ogv: {
      const std::string vorbis = sound("vorbisenc"), late = sound("vorbisenc", kLate);
      const std::string alone = line(way, video), other = line(way, raw(24, kOther));
      const std::set<std::string> sizes = {"160x96", "96x128"};
      return {{.parts = {two_streams(way, video, late)}},
              {.parts = {alone, other}, .decoded = sizes, .frames = 48},
              {.parts = {alone, vorbis + " ! oggmux", other}, .decoded = sizes, .frames = 48},
              {.parts = {vorbis + " ! oggmux", alone}},
              {.parts = {two_streams(way, video, late), other}, .decoded = sizes, .frames = 48}};
    }
    case ts:
      return programmes();
    case flv:
      return {{.parts = {two_streams(way, video, sound(kMp3, kLate))}},
              {.parts = {two_streams(way, raw(24, kMain, kLate), sound(kMp3))}}};
    default:
      return {};
  }
}

}  // namespace tandem::test
