// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tandem {

/// Ends the process soon after a signal of end_signals(), whatever its other threads wait for: a
/// FIFO that nobody opens, a full pipe, a server or a driver that does not answer. A thread of its
/// own handles the signals.
///
/// | the signal | what happens | the process is ended |
/// |---|---|---|
/// | the first, before the first listen() | nothing else | at once |
/// | the first, later | the listener is called, if there is one | 2 s after the last alive() |
/// | SIGINT or SIGTERM again | the same | 0.3 s later |
///
/// A process that is ended so names its unfinished files on standard error; its exit status is
/// kInterruptedStatus. All functions may be called on any thread. None of them waits.
class EndGuard {
 public:
  /// The guard of this process, which lives as long as the process; the first call starts it.
  static EndGuard& start();
  /// Null before start().
  static EndGuard* started();

  EndGuard(const EndGuard&) = delete;
  EndGuard& operator=(const EndGuard&) = delete;

  /// `on_signal` is called with the signal on the guard's thread until the next listen(). It must
  /// not wait. An empty one only leaves the time for what is being finished.
  void listen(std::function<void(int signal)> on_signal);

  /// Work goes on: the process is ended 2 s from now at the earliest.
  void alive();

  /// Nothing of value is left to do: the process is ended 0.3 s from now, if it was asked for.
  void hurry();

  /// `what`, as "'people.mp4'", is being written until finish() is called. The message about a
  /// process that is ended names it.
  void begin(const std::string& what);
  void finish(const std::string& what);

  /// What began and is not finished. From then on it is the caller who tells the user.
  std::vector<std::string> take_unfinished();

  /// begin() was called at some time.
  bool has_begun() const;

 private:
  EndGuard();
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
