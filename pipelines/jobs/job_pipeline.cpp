// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/job_pipeline.h"

#include <gst/video/video.h>

#include <memory>

#include "gst/meta/framejson.h"
#include "gst/util/ref.h"
#include "pipelines/jobs/job_properties.h"
#include "pipelines/jobs/part_source.h"
#include "pipelines/tandem/pipeline_loop.h"
#include "pipelines/tandem/source.h"

namespace tandem {
namespace {

// Makes the lines that `tandem run --metadata` writes.
struct LineMaker {
  const std::function<void(const std::string& line)>& take;
  uint64_t next_frame;
  FrameSize size{};

  static GstPadProbeReturn on_data(GstPad*, GstPadProbeInfo* info, gpointer data) {
    LineMaker& self = *static_cast<LineMaker*>(data);
    if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
      self.take(frame_json_line(GST_PAD_PROBE_INFO_BUFFER(info),
                                {{}, self.next_frame++, self.size, g_get_real_time()}));
      return GST_PAD_PROBE_OK;
    }
    GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
    GstCaps* caps = nullptr;
    gst_event_parse_caps(event, &caps);
    GstVideoInfo video;
    if (gst_video_info_from_caps(&video, caps))
      self.size = {GST_VIDEO_INFO_WIDTH(&video), GST_VIDEO_INFO_HEIGHT(&video)};
    return GST_PAD_PROBE_OK;
  }
};

// Before the pipeline is stopped, however that comes about.
struct Stopping {
  const std::function<void()>& tell;
  ~Stopping() { tell(); }
};

}  // namespace

bool play_job(const Job& job, const BinSettings& machine, const JobHandlers& handlers) {
  const JobSetup setup = set_up(job.analysis, machine);
  // Declared before the pipeline: its streaming threads use it until they are stopped.
  LineMaker lines{handlers.line, job.part.first_frame};
  std::unique_ptr<PartSource> part;
  Pipeline pipeline(gst_pipeline_new("job"));
  const Stopping stopping{handlers.stopping};
  GstElement* source = pipeline.add(make_source(job.analysis.uri, setup.size));
  GstElement* bin = pipeline.add(make_tandembin(setup.bin));
  GstElement* sink = pipeline.add(make_element("fakesink"));
  g_object_set(sink, "sync", FALSE, nullptr);
  Pipeline::link(source, bin);
  Pipeline::link(bin, sink);
  part = std::make_unique<PartSource>(source, job.part);
  const ObjectRef<GstPad> out(gst_element_get_static_pad(bin, "src"));
  gst_pad_add_probe(out.get(),
                    static_cast<GstPadProbeType>(int{GST_PAD_PROBE_TYPE_BUFFER} |
                                                 int{GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM}),
                    LineMaker::on_data, &lines, nullptr);
  bool left = false;
  const auto leave = [&] {
    left = true;
    handlers.stopping();
    part->stop();
    // Frames under way are of no more use.
    gst_element_post_message(pipeline.get(), gst_message_new_eos(GST_OBJECT(pipeline.get())));
  };
  const Ended ended = play(pipeline, job.analysis.uri,
                           {[&] {
                              if (!left && !handlers.tick()) leave();
                            },
                            leave, [&](const GstStructure* message) { part->handle(message); }});
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  if (left || ended != Ended::by_itself) return false;
  if (const std::string problem = part->problem(); !problem.empty())
    throw Failure(problem, job.part.start_ns || job.part.end_ns
                               ? "Submit the video again with --part 0, which does not cut it."
                               : "");
  return true;
}

}  // namespace tandem
