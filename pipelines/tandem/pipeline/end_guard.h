// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// The signals that ask a command to end and to keep what it has: SIGINT, SIGTERM, and SIGHUP
/// unless the caller ignores it, as nohup does.
std::vector<int> end_signals();

/// Whether `signal` is a further request to end. A terminal that closes sends SIGHUP
/// more than once: the shell passes it on, and the kernel sends it when the shell ends.
constexpr bool counts_again(int signal) { return signal != SIGHUP; }

/// Ends the process now and writes `text` to standard error before, if that does not wait. Takes no
/// lock and unwinds nothing: other threads may hold or wait for anything.
[[noreturn]] void end_process(const std::string& text, int status);

/// Time limits of a process after a request to end.
struct EndRules {
  /// From the first signal, or from the last alive() after it.
  std::chrono::milliseconds patience{2000};
  /// From a further SIGINT or SIGTERM; none: these are ignored.
  std::optional<std::chrono::milliseconds> last_patience{300};
  /// The name of the process in the message "NAME ends: WHY"; empty: no such message.
  std::string name;
};

/// Ends the process in time after a signal of end_signals(). Its other threads may be blocked by a
/// FIFO without a peer, a full pipe, a server or a driver. A thread of its own takes the signals,
/// which are blocked on the thread that calls start() and on those that it starts later.
///
/// | the signal | what happens | the process is ended |
/// |---|---|---|
/// | the first, before the first listen() or after stand_down() | nothing else | at once |
/// | the first, later | the listener is called | `patience` after the last alive() |
/// | SIGINT or SIGTERM again | the listener is called | `last_patience` later |
///
/// A process that is ended so names its unfinished files on standard error; its exit status is
/// kInterruptedStatus. All functions may be called on any thread. None but wait_for() waits.
class EndGuard {
 public:
  using Clock = std::chrono::steady_clock;

  /// The guard of this process, which lives as long as the process; the first call starts it, with
  /// `rules`. Call it after gst_init(), whose plugin scanner would inherit blocked signals, and
  /// before another thread starts: that thread would take all signals, which end the process.
  /// Throws std::system_error if signals cannot be read.
  static EndGuard& start(const EndRules& rules = {});
  /// Null before start().
  static EndGuard* started();

  EndGuard(const EndGuard&) = delete;
  EndGuard& operator=(const EndGuard&) = delete;

  /// `on_signal` is called with the signal on the guard's thread until the next listen(). It must
  /// not wait. An empty one only grants the time to finish.
  void listen(std::function<void(int signal)> on_signal);

  /// The work is done, and the process ends by itself: no deadline holds any more.
  void stand_down();

  /// A signal came after the first listen().
  bool is_asked() const;
  /// Waits so long, or until a signal comes. Returns is_asked().
  bool wait_for(std::chrono::milliseconds duration);

  /// Work continues: the process is ended `patience` from now at the earliest.
  void alive();

  /// No further result will come: the process is ended `last_patience` from now, if an end was
  /// requested.
  void hurry();

  /// The process is ended by `end`, for this reason and with this status, unless it ends before.
  void leave_by(Clock::time_point end, const std::string& why, int status);
  /// The process is ended now. Nothing is unwound: other threads may use anything.
  [[noreturn]] void leave(const std::string& why, int status);

  /// `what`, as "'people.mp4'", is being written until finish() is called. The message about a
  /// process that is ended names it.
  void begin(const std::string& what);
  void finish(const std::string& what);

  /// The files that began and are not finished. The caller reports them from then on.
  std::vector<std::string> take_unfinished();

  /// begin() was called at some time.
  bool has_begun() const;

 private:
  explicit EndGuard(const EndRules& rules);
  struct State;
  State* const state_;  // never freed: the thread outlives main()
};

/// Between begin() and finish() of the guard, where there is one.
class Unfinished {
 public:
  explicit Unfinished(std::string what);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  const std::string what_;
};

}  // namespace tandem
