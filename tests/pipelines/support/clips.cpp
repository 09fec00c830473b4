// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/pipelines/support/clips.h"

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <string_view>

#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

#define SHORT_BALL "videotestsrc pattern=ball num-buffers=30 "
#define RAW(format, size) " ! video/x-raw,framerate=25/1,format=" format "," size
#define EVEN_SIZE RAW("I420", "width=160,height=144")
#define ODD_SIZE RAW("Y444", "width=161,height=143")

constexpr Clip kClips[] = {
    // The segment ends with the last frame.
    {"plain.mp4", SHORT_BALL EVEN_SIZE " ! x264enc bframes=0 ! mp4mux"},
    // The first frame is shown two frames after it is decoded: the segment begins at 80 ms.
    {"bframes.mp4", SHORT_BALL EVEN_SIZE " ! x264enc bframes=2 b-adapt=false ! mp4mux"},
    // Gaps between frames, and sound.
    {"gaps.mp4", "audiotestsrc num-buffers=60 ! lamemp3enc ! mux. " SHORT_BALL EVEN_SIZE
                 " ! identity name=gaps ! x264enc bframes=3 ! mp4mux name=mux"},
    {"odd.avi", SHORT_BALL ODD_SIZE " ! jpegenc ! avimux"},
    // A recording of which the beginning is missing.
    {"late.webm", SHORT_BALL "timestamp-offset=5000000000" EVEN_SIZE
                             " ! vp8enc deadline=1 ! webmmux streamable=true"},
    {"raw.y4m", SHORT_BALL EVEN_SIZE " ! y4menc"},
};

constexpr uint32_t kKept = 0b111'0001'0110'0001'1001'1110'0100;  // bit n: frame n

GstPadProbeReturn leave_gaps(GstPad*, GstPadProbeInfo*, gpointer number) {
  const bool keeps = (kKept >> (*static_cast<int*>(number))++ & 1) != 0;
  return keeps ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

}  // namespace

std::span<const Clip> clips() { return kClips; }

bool can_make(const Clip& clip) {
  const std::string_view description = clip.description;
  for (const char* name :
       {"x264enc", "x265enc", "av1enc", "openh264enc", "lamemp3enc", "mpegtsmux"}) {
    if (description.find(name) == description.npos) continue;
    GstElementFactory* factory = gst_element_factory_find(name);
    if (!factory) return false;
    gst_object_unref(factory);
  }
  return true;
}

void make_clip(const Clip& clip, const std::string& path) {
  int number = 0;
  play_file(std::string(clip.description) + " ! filesink name=file", path,
            [&](GstElement* pipeline) {
              const ObjectRef<GstElement> gaps(gst_bin_get_by_name(GST_BIN(pipeline), "gaps"));
              if (!gaps) return;
              const ObjectRef<GstPad> pad(gst_element_get_static_pad(gaps.get(), "sink"));
              gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, leave_gaps, &number, nullptr);
            });
}

void turn_by_tag(std::string& bytes, int quarters) {
  // ISO/IEC 14496-12: the track header of version 0 has its matrix 40 bytes behind its name.
  const std::size_t header = bytes.find("tkhd");
  ASSERT_NE(header, std::string::npos);
  const std::string zero(4, '\0'), one("\0\1\0\0", 4), minus("\xff\xff\0\0", 4);
  const std::string& cosine = quarters == 2 ? minus : zero;
  const std::string& sine = quarters == 1 ? one : quarters == 3 ? minus : zero;
  const std::string& other = quarters == 1 ? minus : quarters == 3 ? one : zero;
  bytes.replace(header + 44, 20, cosine + sine + zero + other + cosine);
}

}  // namespace tandem::test
