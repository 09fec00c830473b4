// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/run/frame_log.h"

#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>

#include <fstream>

#include "gst/json/framejson.h"
#include "pipelines/formatted.h"
#include "pipelines/tandem/pipeline/glib_owned.h"
#include "pipelines/tandem/pipeline/pads.h"

namespace tandem {
namespace {

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

FrameLog::FrameLog(const Settings& settings, GstElement* bin, MakeResultSummary* make_summary)
    : settings_(settings),
      bin_(bin),
      make_summary_(make_summary),
      metadata_(settings.metadata),
      found_(make_summary(bin)),
      found_in_part_(make_summary(bin)) {
  if (metadata_) metadata_->open();
}

void FrameLog::watch(GstPad* pad) {
  add_probe(pad, kFrames | kEvents, [this](GstPad* from, GstPadProbeInfo* info) {
    take_data(from, info);
    return GST_PAD_PROBE_OK;
  });
}

void FrameLog::take_data(GstPad* pad, GstPadProbeInfo* info) {
  if (is_frame(info)) return add_frame(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  if (const GstCaps* caps = caps_in(info)) return begin_part(caps);
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS) end_part();
}

// tandembin lets caps and EOS out when it has no frame in flight: the statistics are exact here.
void FrameLog::begin_part(const GstCaps* caps) {
  GstVideoInfo info;
  const bool video = gst_video_info_from_caps(&info, caps);
  // Caps that differ in another field, such as the rate, go on with the part.
  if (video && size_.width == GST_VIDEO_INFO_WIDTH(&info) &&
      size_.height == GST_VIDEO_INFO_HEIGHT(&info))
    return;
  end_part();
  if (!video) return;
  BinStats stats = read_stats(bin_);
  std::unique_ptr<ResultSummary> found = make_summary_(bin_);
  const std::scoped_lock lock(mutex_);
  at_part_start_ = std::move(stats);
  found_in_part_ = std::move(found);
  part_start_ = Clock::now();
  size_ = {GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)};
  parts_.push_back({{size_.width, size_.height}});
}

void FrameLog::end_part() {
  BinStats stats = read_stats(bin_);
  const std::scoped_lock lock(mutex_);
  if (parts_.empty()) return;
  if (parts_.back().frames == 0) {
    parts_.pop_back();
  } else {
    parts_.back().stats = stats - at_part_start_;
    parts_.back().found = found_in_part_->summary();
  }
}

void FrameLog::add_frame(GstPad* pad, GstBuffer* buffer) {
  if (metadata_) {
    const std::string problem =
        metadata_->append(frame_json_line(buffer, {{}, count_.frames, size_, g_get_real_time()}));
    if (!problem.empty()) {
      metadata_ = nullptr;
      const std::scoped_lock lock(mutex_);
      metadata_problem_ = problem;
    }
  }
  const GstSegment segment = segment_of(pad);
  bool take_picture = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto now = Clock::now();
    if (count_.frames == 0) first_frame_ = now;
    ++count_.frames;
    found_->add(buffer);
    const bool find = found_in_part_->add(buffer);
    count_.position =
        segment.format == GST_FORMAT_TIME
            ? gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer))
            : GST_CLOCK_TIME_NONE;
    count_.seconds = seconds_between(first_frame_, now);
    if (parts_.empty()) return;
    LoggedPart& part = parts_.back();
    ++part.frames;
    part.seconds = seconds_between(part_start_, now);
    const uint64_t every = settings_.picture_every;
    const bool first_find = find && !part.found_any;
    part.found_any |= find;
    take_picture = !settings_.picture_folder.empty() &&
                   (first_find || part.frames % every == (every + 1) / 2 % every);
  }
  if (take_picture) save_picture(pad, buffer);
}

void FrameLog::save_picture(GstPad* pad, GstBuffer* buffer) {
  const CapsRef from(gst_pad_get_current_caps(pad));
  const CapsRef to(gst_caps_new_empty_simple("image/png"));
  const SampleRef sample(gst_sample_new(buffer, from.get(), nullptr, nullptr));
  GError* error = nullptr;
  const SampleRef png(gst_video_convert_sample(sample.get(), to.get(), 10 * GST_SECOND, &error));
  if (!png) {
    g_printerr("tandem: --pictures: a picture cannot be made: %s\n", take_message(error).c_str());
    return;
  }
  std::string name;
  {
    const std::scoped_lock lock(mutex_);
    name =
        formatted("/part%zu-%s-frame%04u.png", parts_.size(), to_string(parts_.back().size).c_str(),
                  static_cast<unsigned>(parts_.back().frames));
  }
  GstMapInfo map;
  if (gst_buffer_map(gst_sample_get_buffer(png.get()), &map, GST_MAP_READ)) {
    std::ofstream file(settings_.picture_folder + name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(map.data), static_cast<std::streamsize>(map.size));
    if (file.flush()) {
      const std::scoped_lock lock(mutex_);
      ++parts_.back().pictures;
    } else {
      g_printerr("tandem: --pictures: cannot write '%s'\n",
                 (settings_.picture_folder + name).c_str());
    }
    gst_buffer_unmap(gst_sample_get_buffer(png.get()), &map);
  }
}

FrameLog::Count FrameLog::count() const {
  const std::scoped_lock lock(mutex_);
  Count count = count_;
  count.found = found_->progress();
  return count;
}

std::string FrameLog::metadata_problem() const {
  const std::scoped_lock lock(mutex_);
  return metadata_problem_;
}

std::vector<LoggedPart> FrameLog::parts() const {
  const std::scoped_lock lock(mutex_);
  return parts_;
}

}  // namespace tandem
