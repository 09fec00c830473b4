// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/output/output_pipeline.h"

#include <utility>

#include "pipelines/tandem/pipeline/bus_messages.h"
#include "pipelines/tandem/pipeline/glib_owned.h"
#include "pipelines/tandem/pipeline/pads.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {
namespace {

// Frames that wait for the encoder. They keep its thread busy; more would only take memory.
constexpr uint64_t kMostWaiting = 4;

SampleRef make_sample(GstPad* pad, GstBuffer* frame) {
  const CapsRef caps(gst_pad_get_current_caps(pad));
  GstSegment segment = segment_of(pad);
  // appsrc ends the stream where a segment ends, and another one may follow.
  segment.stop = GST_CLOCK_TIME_NONE;
  return SampleRef(gst_sample_new(frame, caps.get(), &segment, nullptr));
}

Failure failure_of(GstMessage* message, const std::string& problem) {
  const MessageError e(message);
  if (e.is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT)) {
    return Failure(problem + ": the disk is full",
                   "Make room, or write to another disk; the file is not complete.");
  }
  return Failure(problem + ": " + e.error->message, e.reason);
}

}  // namespace

OutputPipeline::OutputPipeline(std::string problem, const std::string& description)
    : problem_(std::move(problem)), pipeline_(gst_pipeline_new("output")) {
  GError* error = nullptr;
  elements_ = gst_parse_bin_from_description_full(description.c_str(), TRUE, nullptr,
                                                  GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!elements_) throw Failure("the output cannot be set up: " + take_message(error));
  pipeline_.add(elements_);
  entry_ = pipeline_.add(make_element("appsrc"));
  g_object_set(entry_, "format", GST_FORMAT_TIME, "handle-segment-change", TRUE, "max-bytes",
               guint64{0}, nullptr);
  Pipeline::link(entry_, elements_);
  const ObjectRef<GstPad> leaving(gst_element_get_static_pad(entry_, "src"));
  add_probe(leaving.get(), kFrames, [this](GstPad*, GstPadProbeInfo*) {
    {
      const std::scoped_lock lock(mutex_);
      --waiting_;
    }
    changed_.notify_all();
    return GST_PAD_PROBE_OK;
  });
  const ObjectRef<GstBus> bus(gst_element_get_bus(pipeline_.get()));
  gst_bus_set_sync_handler(bus.get(), on_message, this, nullptr);
}

void OutputPipeline::take_from(GstPad* pad) {
  add_probe(pad, kFrames | kEvents, [this](GstPad* from, GstPadProbeInfo* info) {
    if (is_frame(info))
      push(from, GST_PAD_PROBE_INFO_BUFFER(info));
    else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS)
      end();
    return GST_PAD_PROBE_OK;
  });
}

void OutputPipeline::finish(const std::function<void()>& note) {
  {
    const std::scoped_lock lock(mutex_);
    if (note && !over_) note();
    over_ = true;
  }
  changed_.notify_all();
}

void OutputPipeline::fail(const Failure& failure) {
  finish([&] { refused_ = failure; });
}

void OutputPipeline::abandon() { finish(); }

void OutputPipeline::stop() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

uint64_t OutputPipeline::written() const {
  gint64 bytes = 0;
  gst_element_query_position(pipeline_.get(), GST_FORMAT_BYTES, &bytes);
  return bytes > 0 ? static_cast<uint64_t>(bytes) : 0;  // -1 before the first frame
}

std::optional<Failure> OutputPipeline::take_error() {
  Message error;
  {
    const std::scoped_lock lock(mutex_);
    if (refused_) return std::exchange(refused_, std::nullopt);
    error = std::move(error_);
  }
  if (!error) return std::nullopt;
  return failure_of(error.get(), problem_);
}

void OutputPipeline::start() {
  try {
    if (before_start_) before_start_();
  } catch (const Failure& failure) {
    return fail(failure);
  }
  // A failure to start is an error message too.
  gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
}

void OutputPipeline::push(GstPad* pad, GstBuffer* frame) {
  if (!std::exchange(started_, true)) start();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || waiting_ < kMostWaiting; });
    if (over_) return;
    ++waiting_;
  }
  gst_app_src_push_sample(GST_APP_SRC(entry_), make_sample(pad, frame).get());
}

void OutputPipeline::end() {
  if (!started_) return;
  gst_app_src_end_of_stream(GST_APP_SRC(entry_));
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return over_; });
}

GstBusSyncReply OutputPipeline::on_message(GstBus*, GstMessage* message, gpointer data) {
  OutputPipeline& self = *static_cast<OutputPipeline*>(data);
  const GstMessageType type = GST_MESSAGE_TYPE(message);
  if (type == GST_MESSAGE_WARNING) print_warning(message);
  if (type == GST_MESSAGE_EOS) self.finish();
  if (type == GST_MESSAGE_ERROR) {
    // Later errors are consequences of the first.
    self.finish([&] {
      // As sinks that have shown frames report it.
      self.closed_ = MessageError(message).is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND);
      self.error_.reset(gst_message_ref(message));
    });
  }
  gst_message_unref(message);
  return GST_BUS_DROP;
}

}  // namespace tandem
