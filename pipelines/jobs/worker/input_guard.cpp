// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/input_guard.h"

#include <gst/tandem/private/ref.h>

#include <utility>

#include "files/uri_scheme.h"
#include "pipelines/tandem/pipeline/glib_owned.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {
namespace {

bool reads_uri(GstElement* element) {
  return GST_IS_URI_HANDLER(element) &&
         gst_uri_handler_get_uri_type(GST_URI_HANDLER(element)) == GST_URI_SRC;
}

// Answers URI queries with the file's own name, not the handle's: its ending tells the content.
GstPadProbeReturn answer_uri(GstPad*, GstPadProbeInfo* info, gpointer uri) {
  GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_URI) return GST_PAD_PROBE_OK;
  gst_query_set_uri(query, static_cast<const char*>(uri));
  return GST_PAD_PROBE_HANDLED;
}

}  // namespace

void InputGuard::check(const std::string& uri) {
  const std::string scheme = uri_scheme(uri);
  if (scheme.empty()) refuse("the video is not named by a URI: a scheme is missing", "");
  if (!rules_.schemes.contains(scheme)) {
    refuse("workers do not read " + scheme + ": URIs",
           "Start workers with --allow-scheme " + scheme + " to read them.");
  }
  if (scheme != "file") return;
  const GlibString path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  if (!path) throw Failure("the URI does not name a file of this machine");
  OpenedFile opened = open_regular_file(path.get());
  if (!opened.problem.empty()) throw Failure("'" + std::string(path.get()) + "' " + opened.problem);
  const std::scoped_lock lock(mutex_);
  files_.insert_or_assign(uri, std::move(opened.file));
}

void InputGuard::check_pixels(double width, double height) {
  if (width * height <= static_cast<double>(rules_.most_pixels)) return;
  refuse("its frames have more than " + std::to_string(rules_.most_pixels) + " pixels",
         "Start workers with a larger --largest-frame to accept them.");
}

void InputGuard::refuse(const std::string& what, const std::string& advice) {
  const std::scoped_lock lock(mutex_);
  refused_.emplace(what, advice);
  throw *refused_;
}

std::optional<Refused> InputGuard::refused() {
  const std::scoped_lock lock(mutex_);
  return refused_;
}

void InputGuard::watch(GstElement* pipeline) {
  g_signal_connect(pipeline, "deep-element-added", G_CALLBACK(on_element), this);
}

// Before the element opens anything. A source's own elements are its own affair: rtspsrc receives
// by udpsrc.
void InputGuard::on_element(GstBin*, GstBin* bin, GstElement* element, gpointer data) {
  if (!reads_uri(element) || reads_uri(GST_ELEMENT(bin))) return;
  const GlibString uri(gst_uri_handler_get_uri(GST_URI_HANDLER(element)));
  if (!uri) return;
  InputGuard& self = *static_cast<InputGuard*>(data);
  try {
    self.let_in(element, uri.get());
  } catch (const Failure& failure) {
    gst_element_set_locked_state(element, TRUE);
    GST_ELEMENT_ERROR(element, RESOURCE, OPEN_READ, ("%s", failure.what()),
                      ("%s", failure.advice.c_str()));
  }
}

void InputGuard::let_in(GstElement* source, const std::string& uri) {
  std::string handle;
  {
    std::unique_lock lock(mutex_);
    if (!files_.contains(uri)) {
      lock.unlock();
      check(uri);
      lock.lock();
    }
    if (const auto file = files_.find(uri); file != files_.end())
      handle = "/proc/self/fd/" + std::to_string(file->second.number());
  }
  if (handle.empty() || !is_filesrc(source)) return;
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(source, "src"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, answer_uri, g_strdup(uri.c_str()),
                    g_free);
  g_object_set(source, "location", handle.c_str(), nullptr);
}

}  // namespace tandem
