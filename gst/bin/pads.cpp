// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/pads.h"

#include <gst/tandem/private/ref.h>

#include "gst/bin/tandembin.h"
#include "gst/memory/framepool.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem::bin {
namespace {

// --- Frames ------------------------------------------------------------------------------------

GstFlowReturn chain(GstPad* pad, GstObject* parent, GstBuffer* buffer) {
  if (const std::shared_ptr<Run> run = run_of(parent)) return run->accept(pad, buffer);
  gst_buffer_unref(buffer);
  return GST_FLOW_FLUSHING;
}

GstFlowReturn chain_list(GstPad* pad, GstObject* parent, GstBufferList* list) {
  GstFlowReturn flow = GST_FLOW_OK;
  const guint length = gst_buffer_list_length(list);
  for (guint i = 0; i < length && flow == GST_FLOW_OK; ++i)
    flow = chain(pad, parent, gst_buffer_ref(gst_buffer_list_get(list, i)));
  gst_buffer_list_unref(list);
  return flow;
}

// An event without meaning for the stages takes the way of frames, so that a tracer which sends one
// with each frame times the bin. The others go along the stages.
gboolean send_along(GstObject* parent, const Run& run, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_DOWNSTREAM)
    return gst_pad_push_event(run.output_pad(), event);
  return gst_pad_event_default(sink_of(parent), parent, event);
}

// The task of the source pad.
void push_frames(gpointer user_data) {
  auto* parent = static_cast<GstObject*>(user_data);
  const std::shared_ptr<Run> run = run_of(parent);
  const auto send = [&](GstEvent* event) { send_along(parent, *run, event); };
  if (!run || !run->push_next(send)) gst_pad_pause_task(src_of(parent));
}

// --- Control -----------------------------------------------------------------------------------

// Whether the frames behind this event are to be handled in another way than those before it, or
// the stages have to be done with these.
bool has_to_drain(GstPad* pad, const Run& run, GstEvent* event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_CAPS: {
      GstCaps* caps = nullptr;
      gst_event_parse_caps(event, &caps);
      const CapsRef current(gst_pad_get_current_caps(pad));
      return !run.negotiated() || !current || !gst_caps_is_equal(caps, current.get());
    }
    case GST_EVENT_SEGMENT: {
      const GstSegment *segment = nullptr, *current = nullptr;
      gst_event_parse_segment(event, &segment);
      const EventRef before(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
      if (before) gst_event_parse_segment(before.get(), &current);
      return !current || !gst_segment_is_equal(segment, current);
    }
    case GST_EVENT_STREAM_START:
    case GST_EVENT_EOS:
      return true;
    default:
      return false;
  }
}

// Whether frames come from a source that does not wait.
bool is_live(GstPad* sink) {
  GstQuery* query = gst_query_new_latency();
  gboolean live = FALSE;
  if (gst_pad_peer_query(sink, query)) gst_query_parse_latency(query, &live, nullptr, nullptr);
  gst_query_unref(query);
  return live;
}

gboolean sink_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  const std::shared_ptr<Run> run = run_of(parent);
  if (!run) return gst_pad_event_default(pad, parent, event);
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_START: {
      run->abort();
      const gboolean handled = gst_pad_event_default(pad, parent, event);
      gst_pad_pause_task(src_of(parent));
      return handled;
    }
    case GST_EVENT_FLUSH_STOP: {
      run->abort();  // if it comes alone
      gst_pad_pause_task(src_of(parent));
      run->resume(src_of(parent));
      run->follow(event);
      const gboolean handled = gst_pad_event_default(pad, parent, event);
      start_pushing(parent);
      return handled;
    }
    default:
      break;
  }
  if (!GST_EVENT_IS_SERIALIZED(event)) return gst_pad_event_default(pad, parent, event);
  run->follow(event);
  const bool drains = has_to_drain(pad, *run, event);
  if (!drains && run->accept(event)) return TRUE;
  run->executor().drain();
  if (!drains) return send_along(parent, *run, event);
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS) run->controller().stream_ended();
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) run->overload().forget();
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return gst_pad_event_default(pad, parent, event);
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  CapsRef kept(gst_caps_ref(caps));
  const gboolean accepted = gst_pad_event_default(pad, parent, event);
  run->set_caps(accepted ? kept.get() : nullptr, is_live(pad));
  return accepted;
}

gboolean sink_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  const std::shared_ptr<Run> run = run_of(parent);
  // Which memory upstream is to take does not depend on the frames that are on their way.
  const bool allocates = GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION;
  if (run && !allocates && GST_QUERY_IS_SERIALIZED(query)) run->executor().drain();
  const bool answered = gst_pad_query_default(pad, parent, query);
  if (!run || !allocates) return answered;
  const auto allocator_for = [&](gsize bytes) {
    return ObjectRef<GstAllocator>(run->frame_allocator(bytes));
  };
  if (!offer_frame_pool(query, allocator_for)) return answered;
  GST_DEBUG_OBJECT(parent, "offers page-locked memory: %" GST_PTR_FORMAT, query);
  return TRUE;
}

gboolean src_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  if (const std::shared_ptr<Run> run = run_of(parent)) run->overload().heed(event);
  return gst_pad_event_default(pad, parent, event);
}

gboolean src_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  const gboolean answered = gst_pad_query_default(pad, parent, query);
  if (!answered || GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return answered;
  if (const std::shared_ptr<Run> run = run_of(parent)) run->add_latency(query);
  return TRUE;
}

}  // namespace

void start_pushing(GstObject* bin) { gst_pad_start_task(src_of(bin), push_frames, bin, nullptr); }

void equip_sink(GstPad* pad) {
  gst_pad_set_chain_function(pad, chain);
  gst_pad_set_chain_list_function(pad, chain_list);
  gst_pad_set_event_function(pad, sink_event);
  gst_pad_set_query_function(pad, sink_query);
}

void equip_src(GstPad* pad) {
  gst_pad_set_event_function(pad, src_event);
  gst_pad_set_query_function(pad, src_query);
}

}  // namespace tandem::bin
