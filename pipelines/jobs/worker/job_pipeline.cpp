// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/job_pipeline.h"

#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "gst/json/framejson.h"
#include "pipelines/jobs/job_properties.h"
#include "pipelines/jobs/worker/part_source.h"
#include "pipelines/tandem/input/source.h"
#include "pipelines/tandem/pipeline/bus_messages.h"
#include "pipelines/tandem/pipeline/pads.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"

namespace tandem {
namespace {

constexpr GstClockTime kLongestWait = 100 * GST_MSECOND;  // for a message

// Before the pipeline is stopped, however that comes about.
struct Stopping {
  const std::function<void()>& tell;
  ~Stopping() { tell(); }
};

// The size that the caps of an event state, if it brings some.
std::optional<FrameSize> size_in(GstPadProbeInfo* info) {
  const GstCaps* caps = caps_in(info);
  GstVideoInfo video;
  if (!caps || !gst_video_info_from_caps(&video, caps)) return std::nullopt;
  return FrameSize{GST_VIDEO_INFO_WIDTH(&video), GST_VIDEO_INFO_HEIGHT(&video)};
}

// The size of frames is known before one of them is taken. `enlarged`: pixels of the work for each
// of the frame.
GstPadProbeReturn check_size(InputGuard& guard, double enlarged, GstPad* pad,
                             GstPadProbeInfo* info) {
  const auto size = size_in(info);
  if (!size) return GST_PAD_PROBE_OK;
  try {
    guard.check_pixels(size->width * enlarged, size->height);
    return GST_PAD_PROBE_OK;
  } catch (const Failure& failure) {
    const ObjectRef<GstElement> element(gst_pad_get_parent_element(pad));
    GST_ELEMENT_ERROR(element.get(), RESOURCE, NO_SPACE_LEFT, ("%s", failure.what()),
                      ("%s", failure.advice.c_str()));
    return GST_PAD_PROBE_DROP;
  }
}

// A scale below 1 enlarges both sides.
double enlarged_by(const BinSettings& bin) {
  const double scale = std::min(bin.first_scale.value_or(1), 1.0);
  return 1 / (scale * scale);
}

}  // namespace

bool play_job(const Job& job, const BinSettings& machine, const InputRules& rules,
              const JobHandlers& handlers) {
  const JobSetup setup = set_up(job.analysis, machine);
  // Declared before the pipeline: its streaming threads use them until they are stopped.
  InputGuard guard(rules);
  const double enlarged = enlarged_by(setup.bin);
  std::unique_ptr<PartSource> part;
  guard.check(job.analysis.uri);
  if (setup.size) guard.check_pixels(setup.size->width * enlarged, setup.size->height);
  Pipeline pipeline(gst_pipeline_new("job"));
  const Stopping stopping{handlers.stopping};
  guard.watch(pipeline.get());
  GstElement* source = pipeline.add(make_source(job.analysis.uri, setup.size));
  GstElement* bin = pipeline.add(make_tandembin(setup.bin));
  GstElement* sink = pipeline.add(make_element("fakesink"));
  g_object_set(sink, "sync", FALSE, nullptr);
  Pipeline::link(source, bin);
  Pipeline::link(bin, sink);
  part = std::make_unique<PartSource>(source, job.part);
  const ObjectRef<GstPad> in(gst_element_get_static_pad(bin, "sink"));
  add_probe(in.get(), kEvents, [&guard, enlarged](GstPad* pad, GstPadProbeInfo* info) {
    return check_size(guard, enlarged, pad, info);
  });
  const ObjectRef<GstPad> out(gst_element_get_static_pad(bin, "src"));
  // The lines that `tandem run --metadata` writes.
  add_probe(out.get(), kFrames | kEvents,
            [&handlers, frame = job.part.first_frame, size = FrameSize()](
                GstPad*, GstPadProbeInfo* info) mutable {
              if (is_frame(info))
                handlers.line(frame_json_line(GST_PAD_PROBE_INFO_BUFFER(info),
                                              {{}, frame++, size, g_get_real_time()}));
              size = size_in(info).value_or(size);
              return GST_PAD_PROBE_OK;
            });
  BusMessages messages(pipeline.get(), job.analysis.uri,
                       [&](const GstStructure* message) { part->handle(message); });
  // No loop of GLib, whose default context belongs to another thread.
  const ObjectRef<GstBus> bus(gst_element_get_bus(pipeline.get()));
  // A failure to start is an error message too.
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  bool left = false;
  try {
    for (bool over = false; !left && !over;) {
      const MessageRef message(gst_bus_timed_pop(bus.get(), kLongestWait));
      if (message)
        over = messages.take(message.get());
      else
        messages.find_lost_error();
      if (!over) left = handlers.is_left();
    }
    if (!left) messages.throw_failure();
  } catch (const Failure&) {
    if (const std::optional<Refused> refused = guard.refused()) throw *refused;
    throw;
  }
  if (left) {
    part->stop();  // frames under way are of no more use
    handlers.stopping();
  }
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  if (left || handlers.is_left()) return false;
  if (const std::string problem = part->problem(); !problem.empty())
    throw Failure(problem, job.part.start_ns || job.part.end_ns
                               ? "Submit the video again with --part 0, which does not cut it."
                               : "");
  return true;
}

}  // namespace tandem
