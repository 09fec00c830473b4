// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/pipeline_loop.h"

#include <glib-unix.h>
#include <gst/pbutils/missing-plugins.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/end_guard.h"
#include "pipelines/tandem/pipeline/end_signals.h"
#include "pipelines/tandem/pipeline/lost_error.h"
#include "pipelines/tandem/pipeline/media.h"
#include "pipelines/tandem/pipeline/text.h"

namespace tandem {
namespace {

constexpr guint kTickMs = 100;
// From the interruption, or from what has come since, to the second way to end.
constexpr gint64 kStopPatienceUs = 2 * G_USEC_PER_SEC;

using Message = std::unique_ptr<GstMessage, decltype([](GstMessage* m) { gst_message_unref(m); })>;
using MainLoop = std::unique_ptr<GMainLoop, decltype([](GMainLoop* l) { g_main_loop_unref(l); })>;

struct Session {
  MainLoop loop{g_main_loop_new(nullptr, FALSE)};
  const PlayHandlers& handlers;
  GstElement* pipeline = nullptr;
  Ended ended = Ended::by_itself;
  uint64_t progress = 0;  // since the interruption
  gint64 progressed_us = 0;
  std::string missing{};
  Message error{};
};

gboolean on_message(GstBus*, GstMessage* message, gpointer data) {
  Session& session = *static_cast<Session*>(data);
  if (gst_is_missing_plugin_message(message)) {
    const Text what(gst_missing_plugin_message_get_description(message));
    session.missing =
        "Missing: " + std::string(what.get()) + ". " + advice_for_missing_plugin(message);
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    if (!session.error) session.error.reset(gst_message_ref(message));
    g_main_loop_quit(session.loop.get());
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
    print_warning(message);
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT) {
    if (session.handlers.element_message)
      session.handlers.element_message(gst_message_get_structure(message));
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
    g_main_loop_quit(session.loop.get());
  }
  return G_SOURCE_CONTINUE;
}

bool makes_progress(Session& session) {
  const uint64_t progress = session.handlers.progress ? session.handlers.progress() : 0;
  const gint64 now_us = g_get_monotonic_time();
  if (std::exchange(session.progress, progress) != progress) session.progressed_us = now_us;
  return now_us - session.progressed_us < kStopPatienceUs;
}

gboolean on_tick(gpointer data) {
  Session& session = *static_cast<Session*>(data);
  if (EndGuard* guard = EndGuard::started()) guard->alive();
  session.handlers.tick();
  if (session.ended == Ended::interrupted && !makes_progress(session)) {
    session.ended = Ended::at_once;
    g_main_loop_quit(session.loop.get());
  }
  if (const ObjectRef<GstElement> demuxer(demuxer_without_streams(GST_BIN(session.pipeline)));
      demuxer)
    GST_ELEMENT_ERROR(demuxer.get(), STREAM, DEMUX, ("The file holds no stream."), (nullptr));
  return G_SOURCE_CONTINUE;
}

// There is nothing that an orderly end would keep, and it would wait for what has not begun.
bool is_worthless(const Session& session) {
  const EndGuard* guard = EndGuard::started();
  return guard && !guard->has_begun() && session.handlers.progress &&
         session.handlers.progress() == 0;
}

gboolean on_interrupt(gpointer data) {
  Session& session = *static_cast<Session*>(data);
  if (session.ended == Ended::interrupted || is_worthless(session)) {
    session.ended = Ended::at_once;
    g_main_loop_quit(session.loop.get());
  } else {
    session.ended = Ended::interrupted;
    session.progressed_us = g_get_monotonic_time();
    session.handlers.interrupt();
  }
  return G_SOURCE_CONTINUE;
}

// A terminal that closes sends SIGHUP more than once: the shell passes it on, and the kernel sends
// it when the shell ends. Only the first counts.
gboolean on_hangup(gpointer data) {
  const bool first = static_cast<Session*>(data)->ended == Ended::by_itself;
  return first ? on_interrupt(data) : G_SOURCE_CONTINUE;
}

// Signals reach the session until this goes out of scope.
class Signals {
 public:
  explicit Signals(Session& session) : session_(session), guard_(EndGuard::started()) {
    if (guard_) {
      guard_->listen(
          [&session](int) { g_idle_add_full(G_PRIORITY_HIGH, on_signal, &session, nullptr); });
      return;
    }
    for (const int signal : end_signals())
      sources_.push_back(
          g_unix_signal_add(signal, signal == SIGHUP ? on_hangup : on_interrupt, &session));
  }
  ~Signals() {
    if (guard_) guard_->listen({});
    while (g_idle_remove_by_data(&session_)) {
    }
    for (const guint source : sources_) g_source_remove(source);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  static gboolean on_signal(gpointer session) {
    on_interrupt(session);
    return G_SOURCE_REMOVE;
  }
  Session& session_;
  EndGuard* const guard_;
  std::vector<guint> sources_;
};

// Starts a pipeline on another thread: opening what it reads may wait for ever. What has not begun
// when this goes out of scope does not begin.
class Start {
 public:
  explicit Start(GstElement* pipeline) {
    gst_element_call_async(
        pipeline,
        [](GstElement* element, gpointer cancelled) {
          GST_STATE_LOCK(element);
          // A failure to start is an error message too: the loop reports it.
          if (!**static_cast<Cancelled*>(cancelled))
            gst_element_set_state(element, GST_STATE_PLAYING);
          GST_STATE_UNLOCK(element);
        },
        new Cancelled(cancelled_),
        [](gpointer cancelled) { delete static_cast<Cancelled*>(cancelled); });
  }
  ~Start() { *cancelled_ = true; }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

 private:
  using Cancelled = std::shared_ptr<std::atomic<bool>>;
  const Cancelled cancelled_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

std::string reason(const gchar* details) {
  const std::vector<std::string> lines = split(details ? details : "", '\n');
  return lines.size() > 1 ? lines[1] : "";
}

Pipeline::Pipeline(GstElement* pipeline) : element_(GST_ELEMENT(gst_object_ref_sink(pipeline))) {}

Pipeline::~Pipeline() { gst_element_set_state(element_.get(), GST_STATE_NULL); }

GstElement* Pipeline::add(GstElement* element) {
  gst_bin_add(GST_BIN(element_.get()), element);
  return element;
}

void Pipeline::link(GstElement* from, GstElement* to) {
  if (gst_element_link(from, to)) return;
  throw Failure(std::string(GST_OBJECT_NAME(from)) + " cannot be linked to " + GST_OBJECT_NAME(to));
}

Ended play(const Pipeline& pipeline, const std::string& input, const PlayHandlers& handlers) {
  Session session{.handlers = handlers, .pipeline = pipeline.get()};
  GstBus* bus = gst_element_get_bus(pipeline.get());
  gst_bus_add_watch(bus, on_message, &session);
  const guint ticks = g_timeout_add(kTickMs, on_tick, &session);
  {
    const Signals signals(session);
    const Start start(pipeline.get());
    g_main_loop_run(session.loop.get());
  }
  g_source_remove(ticks);
  gst_bus_remove_watch(bus);
  gst_object_unref(bus);
  EndGuard* guard = EndGuard::started();
  if (guard && session.ended == Ended::at_once) guard->hurry();
  // What is interrupted before it has begun ends with an error, which is of no use to the user.
  if (session.error && session.ended == Ended::by_itself)
    throw_error(session.error.release(), input, session.missing);
  return session.ended;
}

void print_warning(GstMessage* message) {
  GError* warning = nullptr;
  gchar* details = nullptr;
  gst_message_parse_warning(message, &warning, &details);
  const std::string why = reason(details);
  // A missing decoder is a message of its own. The text of this one has all headers of the stream.
  if (!g_error_matches(warning, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND))
    g_printerr("tandem: warning: %s %s\n", warning->message, why.c_str());
  g_error_free(warning);
  g_free(details);
}

void throw_error(GstMessage* message, const std::string& input, const std::string& missing) {
  GError* error = nullptr;
  gchar* details = nullptr;
  gst_message_parse_error(message, &error, &details);
  const Message owned_message(message);
  const std::unique_ptr<GError, decltype(&g_error_free)> owned(error, g_error_free);
  const Text owned_details(details);
  const auto is = [&](GQuark domain, int code) { return g_error_matches(error, domain, code); };

  if (!missing.empty()) throw Failure("'" + input + "' cannot be decoded here", missing);
  if (is(GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE) ||
      is(GST_STREAM_ERROR, GST_STREAM_ERROR_TYPE_NOT_FOUND) ||
      is(GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN)) {
    throw Failure("'" + input + "' holds no video that GStreamer can read",
                  "Is it a video, and complete? `tandem doctor` lists what can be decoded.");
  }
  if (is(GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE) ||
      is(GST_STREAM_ERROR, GST_STREAM_ERROR_DEMUX)) {
    throw Failure("'" + input + "' is damaged or cut short: " + error->message);
  }
  GstObject* from = GST_MESSAGE_SRC(message);
  const bool of_source =
      from && GST_IS_ELEMENT(from) && GST_OBJECT_FLAG_IS_SET(from, GST_ELEMENT_FLAG_SOURCE);
  if (of_source || is(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED)) {
    throw Failure("'" + input + "' cannot be read: " + error->message, reason(details));
  }
  throw Failure(error->message, reason(details));
}

}  // namespace tandem
