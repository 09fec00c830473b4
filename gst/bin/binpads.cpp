// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/binpads.h"

#include "gst/bin/tandembin.h"
#include "gst/util/ref.h"

namespace tandem {
namespace {

// --- Frames ------------------------------------------------------------------------------------

GstFlowReturn chain(GstPad*, GstObject* parent, GstBuffer* buffer) {
  if (const std::shared_ptr<BinRun> run = run_of(parent)) return run->accept(buffer);
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

// The task of the source pad.
void push_frames(gpointer user_data) {
  auto* parent = static_cast<GstObject*>(user_data);
  const std::shared_ptr<BinRun> run = run_of(parent);
  if (!run || !run->push_next(src_of(parent))) gst_pad_pause_task(src_of(parent));
}

// --- Control -----------------------------------------------------------------------------------

gboolean sink_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  const std::shared_ptr<BinRun> run = run_of(parent);
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
      run->resume();
      const gboolean handled = gst_pad_event_default(pad, parent, event);
      start_pushing(parent);
      return handled;
    }
    default:
      break;
  }
  if (!GST_EVENT_IS_SERIALIZED(event)) return gst_pad_event_default(pad, parent, event);
  run->executor().drain();
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS) run->control().stream_ended();
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return gst_pad_event_default(pad, parent, event);
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  CapsRef kept(gst_caps_ref(caps));
  const gboolean accepted = gst_pad_event_default(pad, parent, event);
  run->set_caps(accepted ? kept.get() : nullptr);
  return accepted;
}

gboolean sink_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  if (GST_QUERY_IS_SERIALIZED(query)) {
    if (const std::shared_ptr<BinRun> run = run_of(parent)) run->executor().drain();
  }
  return gst_pad_query_default(pad, parent, query);
}

gboolean src_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  const gboolean answered = gst_pad_query_default(pad, parent, query);
  if (!answered || GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return answered;
  const CapsRef caps(gst_pad_get_current_caps(sink_of(parent)));
  const std::shared_ptr<BinRun> run = run_of(parent);
  if (run && caps) run->add_latency(caps.get(), query);
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

void equip_src(GstPad* pad) { gst_pad_set_query_function(pad, src_query); }

}  // namespace tandem
