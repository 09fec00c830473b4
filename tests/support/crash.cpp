// SPDX-License-Identifier: LGPL-2.1-or-later
// A test program that dies of a signal prints its stack, because the crash may not come again.
#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace {

constexpr int kMostFrames = 64;

void print_stack(int signal) {
  std::array<void*, kMostFrames> frames;
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), kMostFrames), STDERR_FILENO);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// backtrace() loads a library when it is called first, which a handler of signals may not do.
[[maybe_unused]] const bool installed = [] {
  void* frame = nullptr;
  backtrace(&frame, 1);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    std::signal(signal, print_stack);
  return true;
}();

}  // namespace
