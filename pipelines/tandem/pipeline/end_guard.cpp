// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/end_guard.h"

#include <glib-unix.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/pipeline/end_signals.h"

namespace tandem {
namespace {

// With what play() takes until it gives up, an end is within 3 s.
constexpr gint64 kPatienceUs = 2 * G_USEC_PER_SEC;
// For what stops by itself; a pipeline takes some 10 ms.
constexpr gint64 kLastPatienceUs = 3 * G_USEC_PER_SEC / 10;
constexpr guint kLookMs = 50;
constexpr gint64 kNever = std::numeric_limits<gint64>::max();

// Other threads may hold the lock of a stream while they wait for its reader for ever.
void flush_messages() {
  if (ftrylockfile(stdout) != 0) return;
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0) std::fflush(stdout);
  funlockfile(stdout);
}

[[noreturn]] void end_with(const std::vector<std::string>& unfinished) {
  flush_messages();
  std::string text;
  for (const std::string& what : unfinished) text += "tandem: " + what + " is not complete\n";
  if (!text.empty() && isatty(STDERR_FILENO)) text.insert(0, "\n");  // below the progress
  end_process(text, kInterruptedStatus);
}

std::atomic<EndGuard*> the_guard{nullptr};

}  // namespace

struct EndGuard::State {
  std::mutex mutex;  // guards what follows; held while the listener is called
  std::function<void(int)> listener;
  bool is_set_up = false;  // listen() was called
  bool has_begun = false;
  bool hurries = false;
  int asked = 0;                // times; hangups after the first signal do not count
  gint64 deadline_us = kNever;  // g_get_monotonic_time()
  std::vector<std::string> unfinished;

  struct Signal {
    State* state;
    int number;
  };

  void prolong(gint64 patience_us) {
    if (asked > 0 && !hurries) deadline_us = g_get_monotonic_time() + patience_us;
  }
  void hurry() {
    prolong(kLastPatienceUs);
    hurries = asked > 0;
  }

  // A terminal that closes sends SIGHUP more than once: the shell passes it on, and the kernel
  // sends it when the shell ends.
  static gboolean on_signal(gpointer data) {
    const auto& [state, number] = *static_cast<Signal*>(data);
    const std::scoped_lock lock(state->mutex);
    if (state->asked > 0 && number == SIGHUP) return G_SOURCE_CONTINUE;
    ++state->asked;
    if (!state->is_set_up) end_with(state->unfinished);
    if (state->listener) state->listener(number);
    if (state->asked == 1)
      state->prolong(kPatienceUs);
    else
      state->hurry();
    return G_SOURCE_CONTINUE;
  }

  static gboolean look(gpointer data) {
    State& state = *static_cast<State*>(data);
    const std::scoped_lock lock(state.mutex);
    if (g_get_monotonic_time() > state.deadline_us) end_with(state.unfinished);
    return G_SOURCE_CONTINUE;
  }

  void add(GMainContext* context, GSource* source, GSourceFunc call, gpointer data) {
    g_source_set_callback(source, call, data, nullptr);
    g_source_attach(source, context);
    g_source_unref(source);
  }

  void run() {
    GMainContext* context = g_main_context_new();
    for (const int number : end_signals())
      add(context, g_unix_signal_source_new(number), on_signal, new Signal{this, number});
    add(context, g_timeout_source_new(kLookMs), look, this);
    for (;;) g_main_context_iteration(context, TRUE);
  }
};

EndGuard::EndGuard() : state_(new State) { std::thread(&State::run, state_).detach(); }

EndGuard& EndGuard::start() {
  static EndGuard* const guard = new EndGuard;
  the_guard = guard;
  return *guard;
}

EndGuard* EndGuard::started() { return the_guard; }

void EndGuard::listen(std::function<void(int)> on_signal) {
  const std::scoped_lock lock(state_->mutex);
  state_->listener = std::move(on_signal);
  state_->is_set_up = true;
}

void EndGuard::alive() {
  const std::scoped_lock lock(state_->mutex);
  state_->prolong(kPatienceUs);
}

void EndGuard::hurry() {
  const std::scoped_lock lock(state_->mutex);
  state_->hurry();
}

void EndGuard::begin(const std::string& what) {
  const std::scoped_lock lock(state_->mutex);
  state_->has_begun = true;
  state_->unfinished.push_back(what);
}

void EndGuard::finish(const std::string& what) {
  const std::scoped_lock lock(state_->mutex);
  std::erase(state_->unfinished, what);
}

std::vector<std::string> EndGuard::take_unfinished() {
  const std::scoped_lock lock(state_->mutex);
  return std::exchange(state_->unfinished, {});
}

bool EndGuard::has_begun() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->has_begun;
}

Unfinished::Unfinished(std::string what) : what_(std::move(what)) {
  if (EndGuard* guard = EndGuard::started()) guard->begin(what_);
}

Unfinished::~Unfinished() {
  if (EndGuard* guard = EndGuard::started()) guard->finish(what_);
}

}  // namespace tandem
