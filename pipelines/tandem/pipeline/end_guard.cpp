// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/end_guard.h"

#include <glib-unix.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "pipelines/tandem/commands.h"

namespace tandem {
namespace {

constexpr auto kNever = EndGuard::Clock::time_point::max();

// Other threads may hold the lock of a stream while they wait for its reader for ever.
void flush_messages() {
  if (ftrylockfile(stdout) != 0) return;
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0) std::fflush(stdout);
  funlockfile(stdout);
}

std::string leaving(const std::string& name, const std::string& why) {
  return name.empty() ? "" : "tandem: " + name + " ends: " + why + "\n";
}

// Signals wait in the file that is returned, without a call of their handlers: a library may
// replace those. LLVM, which compiles for PoCL, does, and a second signal would then end the
// process.
int collect(const std::vector<int>& signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : signals) sigaddset(&set, number);
  const int file = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "signals cannot be read");
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return file;
}

// Its dispatch function only calls back; it has no other way to be ready than its time.
GSource* make_timer() {
  static constexpr auto dispatch = [](GSource*, GSourceFunc call, gpointer data) -> gboolean {
    return call(data);
  };
  static GSourceFuncs functions{nullptr, nullptr, dispatch, nullptr, nullptr, nullptr};
  return g_source_new(&functions, sizeof(GSource));
}

std::atomic<EndGuard*> the_guard{nullptr};

}  // namespace

std::vector<int> end_signals() {
  std::vector<int> signals = {SIGINT, SIGTERM};
  struct sigaction hangup;
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
    signals.push_back(SIGHUP);
  return signals;
}

void end_process(const std::string& text, int status) {
  // A pipe that can be written has room for PIPE_BUF bytes.
  pollfd output{STDERR_FILENO, POLLOUT, 0};
  const bool can_write = poll(&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0;
  if (!text.empty() && can_write) (void)!write(STDERR_FILENO, text.data(), text.size());
  _exit(status);
}

struct EndGuard::State {
  explicit State(const EndRules& rules_) : rules(rules_) {
    // Its function has other parameters than those of other sources, as GLib documents.
    add(g_unix_fd_source_new(signals, G_IO_IN), G_SOURCE_FUNC(on_signals), this);
    add(timer, on_time, this);
  }

  const EndRules rules;
  const int signals = collect(end_signals());
  GMainContext* const context = g_main_context_new();
  GSource* const timer = make_timer();
  std::mutex mutex;  // guards what follows; held while the listener is called
  std::condition_variable came;
  std::function<void(int)> listener;
  bool is_set_up = false;  // listen() was called
  bool has_begun = false;
  bool hurries = false;
  int asked = 0;  // times
  Clock::time_point deadline = kNever;
  std::string why = "it did not end in time after the signal";
  int status = kInterruptedStatus;
  std::vector<std::string> unfinished;

  [[noreturn]] void end() {
    flush_messages();
    std::string text = leaving(rules.name, why);
    for (const std::string& what : unfinished) text += "tandem: " + what + " is not complete\n";
    const bool below_progress = rules.name.empty() && !text.empty() && isatty(STDERR_FILENO);
    if (below_progress) text.insert(0, "\n");
    end_process(text, status);
  }

  void set_deadline(Clock::time_point end) {
    deadline = end;
    const auto since_boot = std::chrono::ceil<std::chrono::microseconds>(end.time_since_epoch());
    // g_get_monotonic_time() has this clock; -1 is never.
    g_source_set_ready_time(timer, end == kNever ? -1 : since_boot.count());
  }
  void prolong(std::chrono::milliseconds patience) {
    if (asked > 0 && !hurries) set_deadline(Clock::now() + patience);
  }
  void hurry() {
    if (rules.last_patience) prolong(*rules.last_patience);
    hurries = asked > 0;
  }

  static gboolean on_signals(gint file, GIOCondition, gpointer data) {
    State& state = *static_cast<State*>(data);
    signalfd_siginfo signal;
    while (read(file, &signal, sizeof signal) == sizeof signal)
      state.take(static_cast<int>(signal.ssi_signo));
    return G_SOURCE_CONTINUE;
  }

  void take(int number) {
    const std::scoped_lock lock(mutex);
    if (asked > 0 && !counts_again(number)) return;
    ++asked;
    if (!is_set_up) {
      why = "a signal came";
      end();
    }
    if (listener) listener(number);
    if (asked > 1)
      hurry();
    else if (const auto end = Clock::now() + rules.patience; end < deadline)
      set_deadline(end);
    came.notify_all();
  }

  static gboolean on_time(gpointer data) {
    State& state = *static_cast<State*>(data);
    const std::scoped_lock lock(state.mutex);
    if (Clock::now() >= state.deadline) state.end();
    return G_SOURCE_CONTINUE;
  }

  void add(GSource* source, GSourceFunc call, gpointer data) {
    g_source_set_callback(source, call, data, nullptr);
    g_source_attach(source, context);
  }

  void run() {
    for (;;) g_main_context_iteration(context, TRUE);
  }
};

EndGuard::EndGuard(const EndRules& rules) : state_(new State(rules)) {
  std::thread(&State::run, state_).detach();
}

EndGuard& EndGuard::start(const EndRules& rules) {
  static EndGuard* const guard = new EndGuard(rules);
  the_guard = guard;
  return *guard;
}

EndGuard* EndGuard::started() { return the_guard; }

void EndGuard::listen(std::function<void(int)> on_signal) {
  const std::scoped_lock lock(state_->mutex);
  state_->listener = std::move(on_signal);
  state_->is_set_up = true;
}

void EndGuard::stand_down() {
  const std::scoped_lock lock(state_->mutex);
  state_->listener = nullptr;
  state_->is_set_up = false;
  state_->set_deadline(kNever);
}

bool EndGuard::is_asked() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->asked > 0;
}

bool EndGuard::wait_for(std::chrono::milliseconds duration) {
  std::unique_lock lock(state_->mutex);
  return state_->came.wait_for(lock, duration, [this] { return state_->asked > 0; });
}

void EndGuard::alive() {
  const std::scoped_lock lock(state_->mutex);
  state_->prolong(state_->rules.patience);
}

void EndGuard::hurry() {
  const std::scoped_lock lock(state_->mutex);
  state_->hurry();
}

void EndGuard::leave_by(Clock::time_point end, const std::string& why, int status) {
  const std::scoped_lock lock(state_->mutex);
  if (end >= state_->deadline) return;
  state_->why = why;
  state_->status = status;
  state_->set_deadline(end);
}

void EndGuard::leave(const std::string& why, int status) {
  end_process(leaving(state_->rules.name, why), status);
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
