// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/bus_messages.h"

#include <gst/pbutils/missing-plugins.h>

#include <memory>
#include <utility>
#include <vector>

#include "files/terminal_text.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/glib_owned.h"
#include "pipelines/tandem/pipeline/package_advice.h"

namespace tandem {
namespace {

constexpr std::size_t kMostWarningBytes = 2000;  // shown

// It reads by itself, on a task of its sink pad, which it pauses at the end or when it fails.
bool has_stopped(GstElement* element) {
  const ObjectRef<GstPad> sink(gst_element_get_static_pad(element, "sink"));
  return sink && GST_PAD_MODE(sink.get()) == GST_PAD_MODE_PULL &&
         gst_pad_get_task_state(sink.get()) == GST_TASK_PAUSED;
}

// 0: found, as GCompareFunc has it.
gint is_demuxer_without_streams(gconstpointer item, gconstpointer) {
  auto* element = GST_ELEMENT(g_value_get_object(static_cast<const GValue*>(item)));
  const bool found = !GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SINK) &&
                     element->numsrcpads == 0 && has_stopped(element);
  return found ? 0 : 1;
}

// Errors of Tandem's elements concern a model or a stage. The input was read.
bool is_of_tandem(GstObject* object) {
  GstElementFactory* factory =
      object && GST_IS_ELEMENT(object) ? gst_element_get_factory(GST_ELEMENT(object)) : nullptr;
  const char* plugin =
      factory ? gst_plugin_feature_get_plugin_name(GST_PLUGIN_FEATURE(factory)) : nullptr;
  return g_strcmp0(plugin, "tandem") == 0;
}

}  // namespace

GstElement* demuxer_without_streams(GstBin* pipeline) {
  using Iterator = std::unique_ptr<GstIterator, decltype(&gst_iterator_free)>;
  const Iterator elements(gst_bin_iterate_recurse(pipeline), gst_iterator_free);
  GValue found = G_VALUE_INIT;
  if (!gst_iterator_find_custom(elements.get(), is_demuxer_without_streams, &found, nullptr))
    return nullptr;
  auto* element = GST_ELEMENT(g_value_dup_object(&found));
  g_value_unset(&found);
  return element;
}

BusMessages::BusMessages(GstElement* pipeline, std::string input,
                         std::function<void(const GstStructure*)> element_message)
    : pipeline_(pipeline), input_(std::move(input)), element_message_(std::move(element_message)) {}

bool BusMessages::take(GstMessage* message) {
  if (gst_is_missing_plugin_message(message)) {
    const GlibString what(gst_missing_plugin_message_get_description(message));
    missing_ = "Missing: " + std::string(what.get()) + ". " + advice_for_missing_plugin(message);
    return false;
  }
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR:
      if (!error_) error_.reset(gst_message_ref(message));
      return true;
    case GST_MESSAGE_WARNING:
      print_warning(message);
      return false;
    case GST_MESSAGE_ELEMENT:
      if (element_message_) element_message_(gst_message_get_structure(message));
      return false;
    default:
      return GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  }
}

void BusMessages::find_lost_error() {
  if (const ObjectRef<GstElement> demuxer(demuxer_without_streams(GST_BIN(pipeline_))); demuxer)
    GST_ELEMENT_ERROR(demuxer.get(), STREAM, DEMUX, ("The file holds no stream."), (nullptr));
}

void BusMessages::throw_failure() {
  if (error_) throw_error(error_.release(), input_, missing_);
}

MessageError::MessageError(GstMessage* message) {
  GError* parsed = nullptr;
  gchar* details = nullptr;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning(message, &parsed, &details);
  else
    gst_message_parse_error(message, &parsed, &details);
  error.reset(parsed);
  const GlibString owned(details);
  const std::vector<std::string> lines = split(details ? details : "", '\n');
  if (lines.size() > 1) reason = lines[1];  // the first one names the code
}

void print_warning(GstMessage* message) {
  const MessageError warning(message);
  const std::string text =
      warning.error->message + (warning.reason.empty() ? "" : " " + warning.reason);
  // A missing decoder is a message of its own. The text of this one has all headers of the stream.
  if (!warning.is(GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND))
    g_printerr("tandem: warning: %s\n", terminal_text(text, kMostWarningBytes).c_str());
}

void throw_error(GstMessage* message, const std::string& input, const std::string& missing) {
  const MessageRef owned(message);
  const MessageError e(message);
  if (!missing.empty()) throw Failure("'" + input + "' cannot be decoded here", missing);
  if (e.is(GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE) ||
      e.is(GST_STREAM_ERROR, GST_STREAM_ERROR_TYPE_NOT_FOUND) ||
      e.is(GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN)) {
    throw Failure("'" + input + "' holds no video that GStreamer can read",
                  "Check that it is a complete video; `tandem doctor` lists the formats that can "
                  "be decoded.");
  }
  if (e.is(GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE) ||
      e.is(GST_STREAM_ERROR, GST_STREAM_ERROR_DEMUX)) {
    throw Failure("'" + input + "' is damaged or cut short: " + e.error->message);
  }
  GstObject* from = GST_MESSAGE_SRC(message);
  const bool of_source =
      from && GST_IS_ELEMENT(from) && GST_OBJECT_FLAG_IS_SET(from, GST_ELEMENT_FLAG_SOURCE);
  if (of_source || (e.is(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED) && !is_of_tandem(from)))
    throw Failure("'" + input + "' cannot be read: " + e.error->message, e.reason);
  throw Failure(e.error->message, e.reason);
}

}  // namespace tandem
