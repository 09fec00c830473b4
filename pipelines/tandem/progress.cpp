// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace tandem {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kLogLine{5};

std::size_t terminal_columns() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) != 0), next_(std::chrono::steady_clock::now()) {
  if (!terminal_) next_ += kLogLine;
}

void ProgressLine::show(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  if (terminal_) {
    next_ = now + kRedraw;
    std::fprintf(stderr, "\r%s\033[K", text.substr(0, terminal_columns() - 1).c_str());
    drawn_ = true;
  } else {
    next_ = now + kLogLine;
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

std::string clock_time(double seconds) {
  if (!(seconds >= 0)) return "?";
  const long total = static_cast<long>(seconds + 0.5);
  char text[32];
  if (total >= 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", total / 3600, total / 60 % 60, total % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld", total / 60, total % 60);
  }
  return text;
}

}  // namespace tandem
