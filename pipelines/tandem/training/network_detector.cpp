// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/training/network_detector.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include <utility>

#include "gst/meta/results.h"
#include "kernels/network/have_networks.h"
#include "pipelines/tandem/options/applications.h"
#include "pipelines/tandem/pipeline/bus_messages.h"
#include "pipelines/tandem/pipeline/pads.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"
#include "pipelines/tandem/pipeline/tandembin.h"
#include "pipelines/training/dataset/photograph.h"

namespace tandem {
namespace {

// Detections of a photograph: more are beyond any precision that counts.
constexpr int kMostDetections = 1000;

// Photographs that wait for the network.
constexpr guint64 kMostWaitingPhotographs = 4;

BinSettings bin_settings(const NetworkSearch& search) {
  BinSettings settings;
  settings.stages = find_application("network").stages;
  settings.model = search.model;
  settings.threshold = search.threshold;
  settings.knowledge = "off";
  settings.adapt = "off";
  settings.device = "cpu";
  return settings;
}

std::vector<Detection> detections_of(GstBuffer* frame, const std::string& label) {
  std::vector<Detection> detections;
  for (const FrameObject& object : read_results(frame, {}).objects) {
    if (object.label != label) continue;
    detections.push_back({static_cast<float>(object.x), static_cast<float>(object.y),
                          static_cast<float>(object.width), static_cast<float>(object.height),
                          static_cast<float>(object.confidence.value_or(0))});
  }
  return detections;
}

// Waits for the end of the stream, but no longer than `time`. Throws the stream's error.
void wait_for_end(GstBus* bus, GstClockTime time, const std::string& model) {
  constexpr auto kKinds =
      static_cast<GstMessageType>(int{GST_MESSAGE_ERROR} | int{GST_MESSAGE_EOS});
  GstMessage* const end = gst_bus_timed_pop_filtered(bus, time, kKinds);
  if (!end) return;
  if (GST_MESSAGE_TYPE(end) == GST_MESSAGE_ERROR) throw_error(end, model, "");
  gst_message_unref(end);
}

// The property `block` of appsrc would wait for ever after an error.
void wait_for_room(GstElement* source, GstBus* bus, const std::string& model) {
  while (gst_app_src_get_current_level_buffers(GST_APP_SRC(source)) >= kMostWaitingPhotographs)
    wait_for_end(bus, 10 * GST_MSECOND, model);
}

}  // namespace

std::vector<std::vector<Detection>> detect_with_network(const std::vector<Photograph>& photographs,
                                                        const NetworkSearch& search,
                                                        const std::function<void()>& advance) {
  if (!network::kHaveNetworks) throw Failure(network::kNoNetworks);
  std::vector<std::vector<Detection>> found;  // filled by the streaming thread until EOS
  Pipeline pipeline(gst_pipeline_new("photographs"));
  GstElement* source = pipeline.add(make_element("appsrc"));
  g_object_set(source, "format", GST_FORMAT_TIME, "max-bytes", guint64{0}, nullptr);
  GstElement* bin = pipeline.add(make_tandembin(bin_settings(search)));
  set_stage_property(bin, "--max-overlap", "max-overlap", to_text(search.max_overlap));
  set_stage_property(bin, "--model", "max-detections", std::to_string(kMostDetections));
  GstElement* sink = pipeline.add(make_element("fakesink"));
  g_object_set(sink, "sync", FALSE, nullptr);
  Pipeline::link(source, bin);
  Pipeline::link(bin, sink);
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(sink, "sink"));
  add_probe(pad.get(), kFrames, [&](GstPad*, GstPadProbeInfo* info) {
    found.push_back(detections_of(GST_PAD_PROBE_INFO_BUFFER(info), search.label));
    advance();
    return GST_PAD_PROBE_OK;
  });
  const ObjectRef<GstBus> bus(gst_element_get_bus(pipeline.get()));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  GstClockTime time = 0;
  for (const Photograph& photograph : photographs) {
    const SampleRef frame = load_frame(photograph.path, "I420");
    GstBuffer* const buffer = gst_buffer_copy(gst_sample_get_buffer(frame.get()));
    GST_BUFFER_PTS(buffer) = std::exchange(time, time + GST_SECOND);
    const SampleRef timed(
        gst_sample_new(buffer, gst_sample_get_caps(frame.get()), nullptr, nullptr));
    gst_buffer_unref(buffer);
    wait_for_room(source, bus.get(), search.model);
    if (gst_app_src_push_sample(GST_APP_SRC(source), timed.get()) != GST_FLOW_OK) break;
  }
  gst_app_src_end_of_stream(GST_APP_SRC(source));
  wait_for_end(bus.get(), GST_CLOCK_TIME_NONE, search.model);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  if (found.size() != photographs.size())
    throw Failure(std::to_string(found.size()) + " of " + std::to_string(photographs.size()) +
                  " photographs came out of the network");
  return found;
}

}  // namespace tandem
