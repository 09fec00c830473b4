// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/parts/parts.h"

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include "pipelines/tandem/input/source.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/pads.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {
namespace {

/// The times of key frames behind which frames lie in the file that are shown before them.
std::set<uint64_t> open_keys(const std::vector<CodedFrame>& frames) {
  std::set<uint64_t> open;
  uint64_t earliest_ns = std::numeric_limits<uint64_t>::max();  // of the frames that lie behind
  for (const CodedFrame& frame : std::views::reverse(frames)) {
    if (frame.key && earliest_ns < frame.pts_ns) open.insert(frame.pts_ns);
    earliest_ns = std::min(earliest_ns, frame.pts_ns);
  }
  return open;
}

// uridecodebin stops at these. With any other codec it would give decoded frames.
constexpr char kCoded[] =
    "video/x-h264; video/x-h265; video/x-vp8; video/x-vp9; video/x-av1; image/jpeg; "
    "video/mpeg,systemstream=false; video/x-raw(ANY)";
constexpr std::chrono::seconds kSeekPatience{20};

// Why packets of these caps are not one frame each; empty: they are.
std::string why_whole(const GstCaps* caps) {
  const GstStructure* structure = gst_caps_get_structure(caps, 0);
  const std::string_view name = gst_structure_get_name(structure);
  for (const std::string_view one_frame :
       {"video/x-vp8", "video/x-vp9", "video/x-av1", "image/jpeg"})
    if (name == one_frame) return {};
  if (name == "video/x-h264" || name == "video/x-h265") {
    const gchar* format = gst_structure_get_string(structure, "stream-format");
    // The form without an index, as broadcast and as AVI keeps it.
    if (format && std::string_view(format) != "byte-stream") return {};
    return "its H.264 or H.265 is a stream of bytes without an index";
  }
  if (name == "video/x-raw")
    return "it holds raw video, or a codec without visible frame boundaries";
  return "packets of its codec need not be frames";
}

class Indexer {
 public:
  // `whole`: past the first packet.
  VideoIndex run(const std::string& uri, bool whole);

 private:
  void take_event(GstPadProbeInfo* info);
  void take_packet(GstBuffer* packet);
  void give_up(const std::string& why);
  void check_seeking();

  Pipeline pipeline_{gst_pipeline_new("index")};
  GstElement* sink_ = nullptr;
  bool whole_ = true;
  std::string codec_;
  GstSegment segment_{};
  VideoIndex index_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable found_;
  bool seeking_ = false, flushed_ = false;
  std::optional<uint64_t> landed_ns_;
};

// Ends the reading. The frames that were found stay valid.
void Indexer::give_up(const std::string& why) {
  if (!index_.why_whole.empty()) return;
  index_.why_whole = why;
  gst_element_post_message(pipeline_.get(), gst_message_new_eos(GST_OBJECT(pipeline_.get())));
}

void Indexer::take_event(GstPadProbeInfo* info) {
  GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
  const std::scoped_lock lock(mutex_);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) flushed_ = true;
  if (seeking_) return;
  if (const GstCaps* caps = caps_in(info)) {
    codec_ = gst_structure_get_name(gst_caps_get_structure(caps, 0));
    if (const std::string why = why_whole(caps); !why.empty()) give_up(why);
  } else if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment(event, &segment_);
    if (!index_.frames.empty()) give_up("it is edited: its times restart");
    if (segment_.format != GST_FORMAT_TIME) give_up("its file stores no times");
  }
}

// VP8 has frames that are decoded and not shown.
bool is_shown(const std::string& codec, GstBuffer* packet) {
  uint8_t first = 0;
  if (codec != "video/x-vp8" || gst_buffer_extract(packet, 0, &first, 1) != 1) return true;
  return (first & 0x10) != 0;
}

void Indexer::take_packet(GstBuffer* packet) {
  const std::scoped_lock lock(mutex_);
  if (seeking_) {
    if (flushed_ && !landed_ns_) landed_ns_ = GST_BUFFER_PTS(packet);
    found_.notify_all();
    return;
  }
  if (!index_.why_whole.empty()) return;
  if (!whole_) return give_up("it was not read to its end");
  if (!is_shown(codec_, packet)) return;
  const GstClockTime pts = GST_BUFFER_PTS(packet);
  if (!GST_CLOCK_TIME_IS_VALID(pts)) return give_up("its file stores no times of frames");
  const GstClockTime duration = GST_BUFFER_DURATION(packet);
  const GstClockTime end = GST_CLOCK_TIME_IS_VALID(duration) ? pts + duration : pts;
  guint64 begin_inside = 0, end_inside = 0;
  // Decoders leave out what is outside of the segment.
  if (!gst_segment_clip(&segment_, GST_FORMAT_TIME, pts, end, &begin_inside, &end_inside)) return;
  if (begin_inside != pts) return give_up("it is edited: it begins within a frame");
  index_.frames.push_back({pts, gst_segment_to_stream_time(&segment_, GST_FORMAT_TIME, pts),
                           !GST_BUFFER_FLAG_IS_SET(packet, GST_BUFFER_FLAG_DELTA_UNIT)});
}

// Looks whether a seek to the last key frame leads there or to one before it.
void Indexer::check_seeking() {
  const auto key = std::find_if(index_.frames.rbegin(), index_.frames.rend(),
                                [](const CodedFrame& frame) { return frame.key; });
  if (key == index_.frames.rend()) return;
  std::unique_lock lock(mutex_);
  seeking_ = true;
  lock.unlock();
  const bool sought = gst_element_seek_simple(
      pipeline_.get(), GST_FORMAT_TIME,
      static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT |
                                GST_SEEK_FLAG_SNAP_BEFORE),
      static_cast<gint64>(key->seek_ns));
  lock.lock();
  if (sought) found_.wait_for(lock, kSeekPatience, [&] { return landed_ns_.has_value(); });
  const auto at = std::ranges::find(index_.frames, landed_ns_.value_or(GST_CLOCK_TIME_NONE),
                                    &CodedFrame::pts_ns);
  if (at == index_.frames.end() || !at->key || at->pts_ns > key->pts_ns)
    index_.why_whole = "a seek in its file ends at a wrong frame";
}

VideoIndex Indexer::run(const std::string& uri, bool whole) {
  whole_ = whole;
  GstElement* decoder = pipeline_.add(make_element("uridecodebin"));
  sink_ = pipeline_.add(make_element("fakesink"));
  const CapsRef coded(gst_caps_from_string(kCoded));
  g_object_set(decoder, "uri", uri.c_str(), "caps", coded.get(), nullptr);
  g_object_set(sink_, "sync", FALSE, "async", FALSE, nullptr);
  link_main_video(decoder, sink_);
  gst_segment_init(&segment_, GST_FORMAT_TIME);
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(sink_, "sink"));
  add_probe(pad.get(), kFrames | kEvents | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
            [this](GstPad*, GstPadProbeInfo* info) {
              if (!is_frame(info)) {
                take_event(info);
                return GST_PAD_PROBE_OK;
              }
              take_packet(GST_PAD_PROBE_INFO_BUFFER(info));
              return GST_PAD_PROBE_DROP;
            });
  if (play(pipeline_, uri, {[] {}, [&] { give_up("interrupted"); }}) != Ended::by_itself)
    throw Failure("interrupted");
  if (index_.why_whole.empty()) check_seeking();
  gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  if (index_.why_whole.empty() && index_.frames.empty())
    throw Failure("no frame of video came out of '" + uri + "'");
  return std::move(index_);
}

}  // namespace

std::vector<Part> cut(const VideoIndex& index, uint64_t least_ns) {
  std::vector<Part> parts(1);
  if (least_ns == 0 || !index.why_whole.empty() || index.frames.empty()) return parts;
  std::vector<CodedFrame> shown = index.frames;
  std::ranges::sort(shown, {}, &CodedFrame::pts_ns);
  // Two frames of one time could not be told apart.
  const auto same_time = [](const CodedFrame& a, const CodedFrame& b) {
    return a.pts_ns == b.pts_ns;
  };
  if (std::ranges::adjacent_find(shown, same_time) != shown.end()) return parts;

  const std::set<uint64_t> open = open_keys(index.frames);
  uint64_t key_ns = 0;  // where to seek for the last key frame
  uint64_t start_ns = shown.front().pts_ns;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const CodedFrame& frame = shown[i];
    if (!frame.key) continue;
    const uint64_t key_before_ns = std::exchange(key_ns, frame.seek_ns);
    if (frame.pts_ns - start_ns < least_ns) continue;
    Part& before = parts.back();
    before.frames = i - before.first_frame;
    before.end_ns = start_ns = frame.pts_ns;
    // FFmpeg 7.1 loses a frame of H.265 behind such a key frame, if decoding begins there.
    const uint64_t seek_ns = open.contains(frame.pts_ns) ? key_before_ns : frame.seek_ns;
    parts.push_back({i, std::nullopt, frame.pts_ns, std::nullopt, seek_ns});
  }
  return parts;
}

VideoIndex index_video(const std::string& uri) { return Indexer().run(uri, true); }

void check_video(const std::string& uri) { Indexer().run(uri, false); }

}  // namespace tandem
