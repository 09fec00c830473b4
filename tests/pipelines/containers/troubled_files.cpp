// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/pipelines/containers/troubled_files.h"

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "tests/pipelines/containers/launch_lines.h"
#include "tests/pipelines/support/clips.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

using enum Container;
using enum Trouble;
using Files = std::vector<TroubledFile>;

struct Reason {
  Container container;
  Trouble trouble;
  const char* why;
};

// What a container cannot express, or this GStreamer does not read of it.
constexpr Reason kReasons[] = {
    {mjpeg, streams_come_and_go, "JPEGs in a row are one stream"},
    {h264, streams_come_and_go, "the bytes of an encoder are one stream"},
    {y4m, streams_come_and_go, "YUV4MPEG2 holds one stream"},
    {photos, streams_come_and_go, "a series is one stream"},
    {avi, no_rate, "the stream's header states a rate, and avimux takes no stream without"},
    {ogv, no_rate, "Theora's header states a rate, and theoraenc takes no stream without"},
    {mjpeg, turned_or_stretched, "GStreamer reads neither from JPEGs in a row"},
    {photos, turned_or_stretched, "GStreamer's decoder of JPEG reads neither"},
    {y4m, changes, "the header, which stands once, states size, rate and shape"},
};

// ISO/IEC 13818-1, 2.4.3.6: a PES packet without PTS and DTS has stuffing in their place. tsdemux
// reads no stream in which none has a time: the first one keeps its own.
void take_times_from_pes(std::string& bytes) {
  constexpr std::size_t kPacket = 188;
  bool first = true;
  for (std::size_t at = 0; at + kPacket <= bytes.size(); at += kPacket) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
    const std::size_t payload = 4 + ((byte(3) & 0x20) != 0 ? 1U + byte(4) : 0U);
    const bool starts = (byte(1) & 0x40) != 0 && payload + 9 < kPacket;
    if (!starts || bytes.compare(at + payload, 3, std::string("\0\0\1", 3)) != 0) continue;
    if (std::exchange(first, false)) continue;
    const auto times = std::popcount(byte(payload + 7) & 0xc0U);
    bytes[at + payload + 7] = static_cast<char>(byte(payload + 7) & 0x3f);
    const std::size_t length = 5 * static_cast<std::size_t>(times);
    bytes.replace(at + payload + 9, length, length, '\xff');
  }
}

// Containers that state a time for each frame state the same one.
Files without_times(Container container) {
  const Way& way = way_of(container);
  const std::string plain = line(way, raw(24, kMain));
  switch (container) {
    case avi:
    case ogv:
    case mjpeg:
    case y4m:
      return {{.parts = {plain}}};
    case h264:
      // The first one invents times by a rate in the stream.
      return {{.parts = {plain}}, {.parts = {line(way, raw(24, kMain) + kNoRate)}}};
    case ts:
      return {{.parts = {plain}, .edit = take_times_from_pes}};
    case photos:
      return {{.parts = {plain}},
              {.parts = {line(way, raw(1, kMain))}, .frames = 1, .extension = ".jpg"}};
    default:
      return {{.parts = {raw(24, kMain) + way.encoder + " ! identity name=timeless" + muxed(way)}}};
  }
}

Files without_a_rate(Container container) {
  const Way& way = way_of(container);
  const std::string video = raw(24, kMain) + kNoRate;
  // x264enc states a rate of 10^9, and mp4mux leaves out the last frame, which takes 1 ns.
  const bool index_of_times = container == mp4 || container == mov;
  Files files = {{.parts = {line(way, video)}, .frames = index_of_times ? 23 : 24}};
  switch (container) {
    case photos:
      return {{.parts = {line(way, raw(1, kMain))}, .frames = 1, .extension = ".jpg"}};
    case mp4:
    case mov:
    case mkv:
    case ts:
    case flv:
    case h264: {
      // openh264enc states no rate in its stream.
      Way other = way;
      other.encoder =
          "openh264enc ! h264parse ! video/x-h264,stream-format=(string){avc,byte-stream} ! "
          "capssetter caps=video/x-h264,framerate=0/1";
      files.push_back({.parts = {line(other, raw(24, kMain))}});
      return files;
    }
    default:
      return files;
  }
}

void turn_once(std::string& bytes) { turn_by_tag(bytes, 1); }
void turn_twice(std::string& bytes) { turn_by_tag(bytes, 2); }
void turn_thrice(std::string& bytes) { turn_by_tag(bytes, 3); }

Files turned_and_stretched(Container container) {
  const Way& way = way_of(container);
  const auto video = [&](const char* form) {
    return line(way,
                "videotestsrc pattern=gradient num-buffers=24 ! "
                "video/x-raw,format=I420,framerate=25/1," +
                    std::string(form) + " ! ");
  };
  const TroubledFile wide{.parts = {video("width=80,height=96,pixel-aspect-ratio=2/1")},
                          .decoded = {"80x96"},
                          .dark_edge = "top"};
  const TroubledFile tall{.parts = {video("width=160,height=48,pixel-aspect-ratio=1/2")},
                          .decoded = {"160x48"},
                          .shown = "80x48",
                          .dark_edge = "top"};
  if (container != mp4 && container != mov) return {wide, tall};
  TroubledFile both = tall;
  both.edit = turn_once;
  both.shown = "96x160";
  both.dark_edge = "right";
  const std::string plain = video(kMain);
  return {wide,
          tall,
          both,
          {.parts = {plain}, .edit = turn_once, .shown = "96x160", .dark_edge = "right"},
          {.parts = {plain}, .edit = turn_twice, .dark_edge = "bottom"},
          {.parts = {plain}, .edit = turn_thrice, .shown = "96x160", .dark_edge = "left"}};
}

// Forms of one stream in a row, which `mux` takes.
std::string in_a_row(const char* encoder, const std::string& mux,
                     const std::vector<std::string>& forms) {
  std::string text;
  for (const std::string& form : forms) text += raw(12, form) + encoder + " ! all. ";
  return text + "concat name=all ! " + mux;
}

// Muxers take one size, and are told of no other.
std::string told_one_size(const std::string& caps) {
  return "capssetter caps=" + caps + ",width=160,height=96,framerate=25/1 ! ";
}

Files changing(Container container) {
  const Way& way = way_of(container);
  const std::vector<std::string> sizes = {kMain, kOther, kMain};
  const std::set<std::string> decoded = {"160x96", "96x128"};
  const std::string ratio = "width=160,height=96,pixel-aspect-ratio=2/1",
                    rate = "width=160,height=96,framerate=50/1";
  const auto file = [&](std::vector<std::string> made, const std::string& wrap) {
    return TroubledFile{.parts = std::move(made), .wrap = wrap, .decoded = decoded, .frames = 36};
  };
  std::vector<std::string> parts;
  for (const std::string& form : sizes) parts.push_back(line(way, raw(12, form)));
  switch (container) {
    case mp4:
    case mov:
    case mkv:
      return {file({in_a_row(X264, "mpegtsmux", sizes)},
                   "tsdemux ! h264parse config-interval=-1 ! "
                   "video/x-h264,stream-format=avc3,alignment=au ! " +
                       told_one_size("video/x-h264") + way.muxer)};
    case avi:
      for (std::string& part : parts) part.resize(part.rfind(" ! "));
      return {file(parts, "jpegparse ! " + told_one_size("image/jpeg") + way.muxer)};
    case webm:
      return {file({in_a_row("vp8enc deadline=1", told_one_size("video/x-vp8") + way.muxer, sizes)},
                   "")};
    case flv:
    case ts:
      return {file({in_a_row(X264, way.muxer, sizes)}, ""),
              {.parts = {in_a_row(X264, way.muxer, {kMain, rate, ratio, kMain})}, .frames = 48}};
    case ogv:
      return {
          {.parts = parts, .decoded = decoded, .frames = 36},
          {.parts = {parts[0], line(way, raw(12, rate)), line(way, raw(12, ratio))}, .frames = 36}};
    case h264:
      return {{.parts = parts, .decoded = decoded, .frames = 36},
              {.parts = {parts[0], line(way, raw(12, rate)), line(way, raw(12, ratio)), parts[0]},
               .frames = 48}};
    case mjpeg:
    case photos:
      return {{.parts = parts, .decoded = decoded, .frames = 36}};
    default:
      return {};
  }
}

void cut(std::string& bytes) { bytes.resize(bytes.size() * 3 / 4); }

Files cut_off_at_the_end(Container container) {
  const Way& way = way_of(container);
  const std::string plain = line(way, raw(24, kMain));
  if (container == photos) {
    return {{.parts = {line(way, raw(1, kMain))}, .edit = cut, .frames = 1, .extension = ".jpg"},
            {.parts = {raw(1, kMain) + "videoconvert ! pngenc"},
             .edit = cut,
             .frames = 0,
             .extension = ".png"}};
  }
  if (container != mp4 && container != mov) return {{.parts = {plain}, .edit = cut}};
  // Without the index, which stands at the end or in front.
  return {{.parts = {plain}, .edit = cut, .frames = 0},
          {.parts = {plain + " faststart=true"}, .edit = cut}};
}

}  // namespace

std::string to_string(Container container) { return way_of(container).name; }

std::string to_string(Trouble trouble) {
  constexpr const char* kNames[kTroubles] = {"StreamsComeAndGo",  "NoTimes", "NoRate",
                                             "TurnedOrStretched", "Changes", "CutOff"};
  return kNames[static_cast<int>(trouble)];
}

std::string why_not(Container container, Trouble trouble) {
  for (const Reason& reason : kReasons)
    if (reason.container == container && reason.trouble == trouble) return reason.why;
  return "";
}

std::vector<TroubledFile> troubled_files(Container container, Trouble trouble) {
  if (!why_not(container, trouble).empty()) return {};
  switch (trouble) {
    case streams_come_and_go:
      return come_and_go(container);
    case no_times:
      return without_times(container);
    case no_rate:
      return without_a_rate(container);
    case turned_or_stretched:
      return turned_and_stretched(container);
    case changes:
      return changing(container);
    case cut_off:
      return cut_off_at_the_end(container);
  }
  return {};
}

bool can_make(const TroubledFile& file) {
  return std::ranges::all_of(file.parts, [](const std::string& part) {
    return can_make(Clip{"", part.c_str()});
  });
}

namespace {

// All but the last of 24, which makes the duration of the file, have the time of the first.
GstPadProbeReturn take_time(GstPad*, GstPadProbeInfo* info, gpointer) {
  GstBuffer* const packet = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = packet;
  // x264enc adds whole hours.
  const GstClockTime since_first_ns = GST_BUFFER_PTS(packet) % GST_SECOND;
  if (since_first_ns >= 23 * 40 * GST_MSECOND) return GST_PAD_PROBE_OK;
  GST_BUFFER_DTS(packet) = GST_BUFFER_PTS(packet) -= since_first_ns;
  GST_BUFFER_DURATION(packet) = 0;
  return GST_PAD_PROBE_OK;
}

void prepare(GstElement* pipeline) {
  const ObjectRef<GstElement> timeless(gst_bin_get_by_name(GST_BIN(pipeline), "timeless"));
  if (!timeless) return;
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(timeless.get(), "src"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, take_time, nullptr, nullptr);
}

}  // namespace

std::string make(const TroubledFile& file, Container container, const std::string& folder) {
  const bool series = container == photos && !file.extension;
  const std::string path =
      folder + (series ? "/photo%03d.jpg"
                       : std::string("/in") +
                             (file.extension ? file.extension : way_of(container).extension));
  std::string bytes;
  int index = 0;
  for (const std::string& part : file.parts) {
    const std::string sink = series ? " ! multifilesink name=file index=" + std::to_string(index)
                                    : std::string(" ! filesink name=file");
    play_file(part + sink, path, prepare);
    index += file.frames / static_cast<int>(file.parts.size());
    if (!series) bytes += read_file(path);
  }
  if (!file.wrap.empty()) {
    const std::string unwrapped = folder + "/unwrapped";
    write_file(unwrapped, bytes);
    play_file("filesrc location=" + unwrapped + " ! " + file.wrap + " ! filesink name=file", path);
    bytes = read_file(path);
  }
  if (series) return "imagesequence://" + folder + "/photo%2503d.jpg";
  if (file.edit) file.edit(bytes);
  write_file(path, bytes);
  return path;
}

bool states_its_size(Container container) {
  return container == mp4 || container == mov || container == mkv || container == webm ||
         container == avi;
}

}  // namespace tandem::test
