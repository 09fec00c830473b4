// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/output/video_file.h"

#include <gst/video/video.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "pipelines/tandem/pipeline/pads.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEntry = "entry";
constexpr const char* kKept = "kept";
constexpr const char* kToEncoder = "to-encoder";
constexpr const char* kFile = "file";

// Frames a second where the input states no rate: what FFmpeg and GStreamer take for pictures too.
constexpr int kRateOfPictures = 25;

// Formats that the encodings put into files. decodebin stops at these instead of decoding them.
constexpr const char* kCoded =
    "video/x-h264; video/mpeg,mpegversion=4; video/x-divx; video/x-vp8; video/x-theora; image/jpeg";

// Keeps the fields of the first caps that neither videoconvert nor videoscale converts.
void keep_fields(GstCaps* caps, const GstCaps* first) {
  const GstStructure* kept = gst_caps_get_structure(first, 0);
  GstStructure* fields = gst_caps_get_structure(caps, 0);
  for (const char* name : {"framerate", "max-framerate", "interlace-mode", "field-order",
                           "multiview-mode", "multiview-flags", "views"}) {
    if (const GValue* value = gst_structure_get_value(kept, name))
      gst_structure_set_value(fields, name, value);
    else
      gst_structure_remove_field(fields, name);
  }
}

// Gives a frame the time that its number has at a constant rate.
void stamp_by_number(GstPad* pad, GstPadProbeInfo* info, uint64_t number) {
  const CapsRef caps(gst_pad_get_current_caps(pad));
  GstVideoInfo video;
  if (!caps || !gst_video_info_from_caps(&video, caps.get()) || video.fps_n == 0) return;
  const auto time_of = [&](uint64_t frame) {
    return gst_util_uint64_scale(frame, GST_SECOND * video.fps_d, video.fps_n);
  };
  const GstSegment segment = segment_of(pad);
  GstBuffer* frame = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_BUFFER_PTS(frame) =
      gst_segment_position_from_running_time(&segment, GST_FORMAT_TIME, time_of(number));
  GST_BUFFER_DURATION(frame) = time_of(number + 1) - time_of(number);
  GST_PAD_PROBE_INFO_DATA(info) = frame;
}

void link_to_counter(GstElement*, GstPad* pad, GstElement* counter) {
  const ObjectRef<GstPad> sink(gst_element_get_static_pad(counter, "sink"));
  if (!gst_pad_is_linked(sink.get())) gst_pad_link(pad, sink.get());
}

void fail_without_stream(GstElement* reader, GstElement* counter) {
  const ObjectRef<GstPad> sink(gst_element_get_static_pad(counter, "sink"));
  if (gst_pad_is_linked(sink.get())) return;
  GST_ELEMENT_ERROR(reader, STREAM, WRONG_TYPE, ("The file has no video."), (nullptr));
}

// Coded frames in the video file `path`, counted without decoding them; none if a signal ends the
// counting. Throws Failure when the file cannot be read.
std::optional<uint64_t> count_coded_frames(const std::string& path) {
  std::atomic<uint64_t> count{0};
  Pipeline pipeline(gst_pipeline_new("check"));
  GstElement* file = pipeline.add(make_element("filesrc"));
  GstElement* reader = pipeline.add(make_element("decodebin"));
  GstElement* counter = pipeline.add(make_element("fakesink"));
  const CapsRef coded(gst_caps_from_string(kCoded));
  g_object_set(file, "location", path.c_str(), nullptr);
  g_object_set(reader, "caps", coded.get(), nullptr);
  g_object_set(counter, "sync", FALSE, nullptr);
  g_signal_connect(reader, "pad-added", G_CALLBACK(link_to_counter), counter);
  g_signal_connect(reader, "no-more-pads", G_CALLBACK(fail_without_stream), counter);
  Pipeline::link(file, reader);
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(counter, "sink"));
  add_probe(pad.get(), kFrames, [&count](GstPad*, GstPadProbeInfo* info) {
    // Theora's headers are packets of the stream.
    if (!GST_BUFFER_FLAG_IS_SET(GST_PAD_PROBE_INFO_BUFFER(info), GST_BUFFER_FLAG_HEADER)) ++count;
    return GST_PAD_PROBE_OK;
  });
  const auto stop = [&] {
    gst_element_post_message(pipeline.get(), gst_message_new_eos(GST_OBJECT(pipeline.get())));
  };
  const Ended ended = play(pipeline, path, {[] {}, stop});
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return ended == Ended::by_itself ? std::optional<uint64_t>(count) : std::nullopt;
}

}  // namespace

VideoFile::VideoFile(std::string path, const Encoding& encoding, std::optional<Size> size)
    : path_(std::move(path)), encoding_(encoding), size_(size) {}

std::string VideoFile::description() const {
  const std::string text = "videoconvert name=" + std::string(kEntry) +
                           " ! videoscale ! capsfilter name=" + kKept + " ! ";
  // One segment that begins at 0 and does not end: where the input's segment ends, muxers leave out
  // what an encoder stamps behind it.
  return text + "identity single-segment=true name=" + kToEncoder + " ! " + encoding_.description +
         " ! filesink name=" + kFile;
}

void VideoFile::watch(GstBin* bin) {
  const ObjectRef<GstElement> file(gst_bin_get_by_name(bin, kFile));
  g_object_set(file.get(), "location", path_.c_str(), nullptr);
  const ObjectRef<GstElement> entry(gst_bin_get_by_name(bin, kEntry));
  const ObjectRef<GstPad> entry_pad(gst_element_get_static_pad(entry.get(), "sink"));
  add_probe(entry_pad.get(), kFrames | kEvents, [this](GstPad* pad, GstPadProbeInfo* info) {
    if (is_frame(info))
      complete_times(pad, info);
    else if (GstCaps* caps = caps_in(info))
      complete_caps(info, caps);
    return GST_PAD_PROBE_OK;
  });
  kept_.reset(gst_bin_get_by_name(bin, kKept));
  const ObjectRef<GstElement> last(gst_bin_get_by_name(bin, kToEncoder));
  const ObjectRef<GstPad> frames(gst_element_get_static_pad(last.get(), "src"));
  add_probe(frames.get(), kFrames | kEvents, [this](GstPad* pad, GstPadProbeInfo* info) {
    if (is_frame(info)) take_frame(pad, info);
    // Format and colours are the encoder's choice; they stay as well.
    if (GstCaps* caps = caps_in(info)) g_object_set(kept_.get(), "caps", caps, nullptr);
    return GST_PAD_PROBE_OK;
  });
  if (encoding_.quirk != Encoding::Quirk::same_time) return;
  const ObjectRef<GstPad> into(gst_pad_get_peer(frames.get()));
  const ObjectRef<GstElement> encoder(gst_pad_get_parent_element(into.get()));
  const ObjectRef<GstPad> packets(gst_element_get_static_pad(encoder.get(), "src"));
  add_probe(packets.get(), kFrames, [this](GstPad* pad, GstPadProbeInfo* info) {
    take_packet(pad, info);
    return GST_PAD_PROBE_OK;
  });
}

CapsRef VideoFile::caps_of_size(const GstVideoInfo& video) const {
  Size size = size_.value_or(Size{video.width, video.height});
  if (encoding_.quirk == Encoding::Quirk::even_sizes)
    size = {std::max(2, size.width / 2 * 2), std::max(2, size.height / 2 * 2)};
  return CapsRef(gst_caps_new_simple("video/x-raw", "width", G_TYPE_INT, size.width, "height",
                                     G_TYPE_INT, size.height, "pixel-aspect-ratio",
                                     GST_TYPE_FRACTION, size_ ? 1 : video.par_n,
                                     size_ ? 1 : video.par_d, nullptr));
}

// The caps that leave for the encoder are the same to the end: muxers take no others. Without a
// rate theoraenc and avimux take nothing, and openh264enc leaves out frames.
void VideoFile::complete_caps(GstPadProbeInfo* info, GstCaps* caps) {
  GstVideoInfo video;
  if (!gst_video_info_from_caps(&video, caps)) return;
  const CapsRef changed(gst_caps_copy(caps));
  if (first_caps_) {
    keep_fields(changed.get(), first_caps_.get());
    gst_video_info_from_caps(&video, changed.get());
  }
  rate_assumed_ = video.fps_n == 0;
  rate_n_ = rate_assumed_ ? kRateOfPictures : video.fps_n;
  rate_d_ = rate_assumed_ ? 1 : video.fps_d;
  if (rate_assumed_)
    gst_caps_set_simple(changed.get(), "framerate", GST_TYPE_FRACTION, rate_n_, rate_d_, nullptr);
  if (!first_caps_) {
    first_caps_.reset(gst_caps_ref(changed.get()));
    g_object_set(kept_.get(), "caps", caps_of_size(video).get(), nullptr);
  }
  gst_event_unref(GST_PAD_PROBE_INFO_EVENT(info));
  GST_PAD_PROBE_INFO_DATA(info) = gst_event_new_caps(changed.get());
}

// A frame without a time, or with one that is not after that of the frame before, follows it at the
// stream's rate. One without a duration takes an interval of that rate: mp4mux and qtmux leave out
// a last frame that takes no time.
void VideoFile::complete_times(GstPad* pad, GstPadProbeInfo* info) {
  GstBuffer* frame = GST_PAD_PROBE_INFO_BUFFER(info);
  const GstSegment segment = segment_of(pad);
  const GstClockTime stated_ns =
      gst_segment_to_running_time(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(frame));
  const bool first = !GST_CLOCK_TIME_IS_VALID(latest_ns_);
  const bool timed = GST_CLOCK_TIME_IS_VALID(stated_ns) && (first || stated_ns > latest_ns_);
  if (timed || first) {
    timed_ns_ = timed ? stated_ns : segment.base;
    frames_since_ = 0;
  } else {
    ++frames_since_;
  }
  if (!first && rate_assumed_ && !(timed && stores_times(encoding_.extension)) &&
      !std::exchange(rate_told_, true)) {
    g_printerr("tandem: warning: the input states no frame rate: '%s' has %d frames a second\n",
               path_.c_str(), kRateOfPictures);
  }
  const auto time_of = [&](uint64_t number) {
    return timed_ns_ + gst_util_uint64_scale(number, GST_SECOND * rate_d_, rate_n_);
  };
  latest_ns_ = time_of(frames_since_);
  if (timed && GST_BUFFER_DURATION_IS_VALID(frame) && GST_BUFFER_DURATION(frame) > 0) return;
  frame = gst_buffer_make_writable(frame);
  GST_BUFFER_PTS(frame) = gst_segment_position_from_running_time(
      &segment, GST_FORMAT_TIME, std::max(latest_ns_, GstClockTime{segment.base}));
  GST_BUFFER_DURATION(frame) = time_of(frames_since_ + 1) - latest_ns_;
  GST_PAD_PROBE_INFO_DATA(info) = frame;
}

void VideoFile::take_frame(GstPad* pad, GstPadProbeInfo* info) {
  const uint64_t number = frames_sent_++;
  if (encoding_.quirk == Encoding::Quirk::no_times) stamp_by_number(pad, info, number);
  if (encoding_.quirk != Encoding::Quirk::same_time) return;
  const GstSegment segment = segment_of(pad);
  const GstClockTime pts = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
  const std::scoped_lock lock(mutex_);
  in_encoder_.push_back(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, pts));
}

// These encoders keep the order of frames: the n-th packet is the n-th frame.
void VideoFile::take_packet(GstPad* pad, GstPadProbeInfo* info) {
  const std::scoped_lock lock(mutex_);
  if (in_encoder_.empty()) return;
  const GstClockTime time = in_encoder_.front();
  in_encoder_.pop_front();
  const GstSegment segment = segment_of(pad);
  GstBuffer* packet = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_BUFFER_PTS(packet) = GST_BUFFER_DTS(packet) =
      gst_segment_position_from_running_time(&segment, GST_FORMAT_TIME, time);
  GST_PAD_PROBE_INFO_DATA(info) = packet;
}

void VideoFile::check() const {
  std::error_code error;
  if (!fs::is_regular_file(path_, error)) return;
  const uint64_t sent = frames_sent_;
  if (sent == 0) return;  // no muxer writes a file that can be read
  constexpr const char* kAdvice =
      "Is the disk full? If not, write another kind of file (--output with .mkv, .webm or .avi) "
      "and "
      "report this as a bug.";
  std::optional<uint64_t> written;
  try {
    written = count_coded_frames(path_);
  } catch (const Failure& failure) {
    throw Failure("'" + path_ + "' was written but cannot be read again: " + failure.what(),
                  kAdvice);
  }
  if (!written || *written >= sent) return;
  throw Failure("'" + path_ + "' holds " + std::to_string(*written) + " of the " +
                    std::to_string(sent) + " frames that were sent to it",
                kAdvice);
}

}  // namespace tandem
