// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/pipeline_loop.h"

#include <glib-unix.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/bus_messages.h"
#include "pipelines/tandem/pipeline/end_guard.h"

namespace tandem {
namespace {

constexpr guint kTickMs = 100;
// From the interruption, or from what has come since, to the second way to end.
constexpr gint64 kStopPatienceUs = 2 * G_USEC_PER_SEC;

using MainLoop = std::unique_ptr<GMainLoop, decltype([](GMainLoop* l) { g_main_loop_unref(l); })>;

struct Session {
  MainLoop loop{g_main_loop_new(nullptr, FALSE)};
  const PlayHandlers& handlers;
  BusMessages messages;
  Ended ended = Ended::by_itself;
  uint64_t progress = 0;  // since the interruption
  gint64 progressed_us = 0;
};

gboolean on_message(GstBus*, GstMessage* message, gpointer data) {
  Session& session = *static_cast<Session*>(data);
  if (session.messages.take(message)) g_main_loop_quit(session.loop.get());
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
  session.messages.find_lost_error();
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

gboolean on_first_interrupt(gpointer data) {
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
      sources_.push_back(g_unix_signal_add(
          signal, counts_again(signal) ? on_interrupt : on_first_interrupt, &session));
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

// Starts a pipeline on another thread, because opening its input may wait for ever. The destructor
// cancels a start that has not begun.
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
  Session session{.handlers = handlers,
                  .messages = {pipeline.get(), input, handlers.element_message}};
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
  // A pipeline that was interrupted before it began has an error that is of no use to the user.
  if (session.ended == Ended::by_itself) session.messages.throw_failure();
  return session.ended;
}

}  // namespace tandem
