// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "tests/gst/support/parse_line.h"
#include "tests/gst/support/stats.h"

namespace tandem::test {
namespace {

// Long enough for a sanitizer on a busy machine; a test that waits so long has failed.
constexpr int kPatienceSeconds = 60;

GstElement* parse(const std::string& line) {
  GError* error = nullptr;
  GstElement* made = parse_line(line, GST_PARSE_FLAG_NONE, &error);
  const std::string why = error ? error->message : "";
  g_clear_error(&error);
  if (!made || !why.empty()) throw std::runtime_error(line + ": " + why);
  return made;
}

}  // namespace

std::string bin_of(const std::string& stages, const std::string& properties) {
  return "tandembin.( name=tandembin0 cores=2 adapt=off opencl-device=any " + properties + " " +
         stages + " )";
}

std::string properties_of(const Configuration& configuration) {
  return "mapping=" + to_string(configuration.mapping) +
         (configuration.granularity == Granularity::medium
              ? " granularity=mg"
              : " granularity=cg threads=" + std::to_string(configuration.threads));
}

std::string stages_alone(const std::string& filter_properties) {
  return "vividfilter device=cpu " + filter_properties +
         " ! vividhistogram device=cpu ! vividclassifier device=cpu";
}

std::string bin(const std::string& bin_properties, const std::string& filter_properties) {
  return bin_of("vividfilter " + filter_properties + " ! vividhistogram ! vividclassifier",
                bin_properties);
}

Messages::Messages(GstElement* pipeline) : bus_(gst_element_get_bus(pipeline)) {
  gst_bus_set_sync_handler(bus_, on_message, this, nullptr);
}

Messages::~Messages() {
  gst_bus_set_sync_handler(bus_, nullptr, nullptr, nullptr);
  gst_object_unref(bus_);
  if (offered_) gst_context_unref(offered_);
}

void Messages::offer(GstContext* context) { offered_ = context; }

GstBusSyncReply Messages::on_message(GstBus*, GstMessage* message, gpointer user_data) {
  auto* self = static_cast<Messages*>(user_data);
  Message heard{GST_MESSAGE_TYPE(message),
                GST_MESSAGE_SRC(message) ? GST_OBJECT_NAME(GST_MESSAGE_SRC(message)) : "",
                {}};
  GError* error = nullptr;
  if (heard.type == GST_MESSAGE_ERROR) gst_message_parse_error(message, &error, nullptr);
  if (heard.type == GST_MESSAGE_WARNING) gst_message_parse_warning(message, &error, nullptr);
  if (error) heard.text = error->message;
  g_clear_error(&error);
  if (heard.type == GST_MESSAGE_ELEMENT) {
    gchar* text = gst_structure_to_string(gst_message_get_structure(message));
    heard.text = text;
    g_free(text);
  }
  if (heard.type == GST_MESSAGE_NEED_CONTEXT && self->offered_)
    gst_element_set_context(GST_ELEMENT(GST_MESSAGE_SRC(message)), self->offered_);
  gst_message_unref(message);
  {
    std::lock_guard lock(self->mutex_);
    self->messages_.push_back(std::move(heard));
  }
  self->arrived_.notify_all();
  return GST_BUS_DROP;
}

Message Messages::wait(GstMessageType type) {
  std::unique_lock lock(mutex_);
  const auto is_wanted = [&](const Message& m) { return m.type == type; };
  const auto here = [&] { return std::any_of(messages_.begin(), messages_.end(), is_wanted); };
  if (!arrived_.wait_for(lock, std::chrono::seconds(kPatienceSeconds), here)) {
    ADD_FAILURE() << "no message of type " << gst_message_type_get_name(type);
    return {};
  }
  return *std::find_if(messages_.begin(), messages_.end(), is_wanted);
}

std::vector<Message> Messages::all(GstMessageType type) const {
  std::lock_guard lock(mutex_);
  std::vector<Message> found;
  std::copy_if(messages_.begin(), messages_.end(), std::back_inserter(found),
               [&](const Message& m) { return m.type == type; });
  return found;
}

Stream::Stream(const std::string& middle, Size size, const char* format)
    : Stream(parse("appsrc name=source format=time max-bytes=0 ! " + middle +
                   " ! appsink name=sink sync=false wait-on-eos=false"),
             size, format) {}

std::unique_ptr<Stream> Stream::of(const std::string& line) {
  return std::unique_ptr<Stream>(new Stream(parse(line), {}, "GRAY8"));
}

Stream::Stream(GstElement* pipeline, Size size, const char* format)
    : messages(pipeline),
      pipeline_(pipeline),
      source_(reinterpret_cast<GstAppSrc*>(gst_bin_get_by_name(GST_BIN(pipeline), "source"))),
      sink_(GST_APP_SINK(gst_bin_get_by_name(GST_BIN(pipeline), "sink"))),
      size_(size),
      format_(format) {
  if (source_) caps(size, format);
}

Stream::~Stream() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  gst_clear_object(&source_);
  gst_object_unref(sink_);
  gst_object_unref(pipeline_);
}

GstElement* Stream::element(const char* name) const {
  GstElement* found = gst_bin_get_by_name(GST_BIN(pipeline_), name);
  if (!found) throw std::runtime_error(std::string("no element ") + name);
  gst_object_unref(found);
  return found;
}

uint64_t Stream::stat(const char* name) const { return stat_of(tandembin(), name); }

std::string Stream::configuration() const {
  gchar* text = nullptr;
  g_object_get(tandembin(), "configuration", &text, nullptr);
  const std::string copy = text ? text : "";
  g_free(text);
  return copy;
}

void Stream::set_state(GstState state) {
  set_state_without_waiting(state);
  wait_for_state();
}

void Stream::wait_for_state() {
  EXPECT_EQ(gst_element_get_state(pipeline_, nullptr, nullptr, kPatienceSeconds * GST_SECOND),
            GST_STATE_CHANGE_SUCCESS)
      << "no " << gst_element_state_get_name(GST_STATE_TARGET(pipeline_));
}

void Stream::set_state_without_waiting(GstState state) { gst_element_set_state(pipeline_, state); }

void Stream::caps(Size size, const char* format) {
  size_ = size;
  format_ = format;
  GstCaps* caps = gst_caps_from_string(caps_text(size, format).c_str());
  gst_app_src_set_caps(source_, caps);
  gst_caps_unref(caps);
}

void Stream::push(int first, int last) {
  for (int i = first; i < last; ++i) push_buffer(make_frame(i, size_, format_));
}

GstFlowReturn Stream::push_buffer(GstBuffer* buffer) {
  return gst_app_src_push_buffer(source_, buffer);
}

void Stream::end() { gst_app_src_end_of_stream(source_); }

GstBuffer* Stream::pull_buffer() {
  GstSample* sample = gst_app_sink_try_pull_sample(sink_, kPatienceSeconds * GST_SECOND);
  if (!sample) {
    EXPECT_TRUE(gst_app_sink_is_eos(sink_)) << "no frame came and no end of stream";
    return nullptr;
  }
  GstBuffer* buffer = gst_buffer_ref(gst_sample_get_buffer(sample));
  gst_sample_unref(sample);
  return buffer;
}

std::vector<Result> Stream::pull(int count) {
  std::vector<Result> results;
  while (static_cast<int>(results.size()) < count) {
    GstBuffer* buffer = pull_buffer();
    if (!buffer) break;
    results.push_back(read_result(buffer));
    gst_buffer_unref(buffer);
  }
  return results;
}

std::vector<Result> Stream::pull_all() { return pull(1 << 30); }

std::vector<Result> Stream::run(int count) {
  play();
  push(0, count);
  end();
  return pull_all();
}

std::vector<Result> expected_results(int count, Size size, const std::string& filter_properties,
                                     const char* format) {
  Stream alone(stages_alone(filter_properties), size, format);
  return alone.run(count);
}

void expect_stream_error(const std::string& line, Size size,
                         const std::vector<std::string>& parts) {
  SCOPED_TRACE(line);
  Stream stream(line, size);
  stream.play();
  stream.push(0, 1);
  stream.end();
  const std::string text = stream.messages.wait(GST_MESSAGE_ERROR).text;
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

}  // namespace tandem::test
