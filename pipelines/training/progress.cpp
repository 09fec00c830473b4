// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/progress.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

namespace tandem {
namespace {

std::atomic<bool> quiet_all{false};
constexpr double kRedrawInterval_s = 0.2;

bool on_terminal() {
  static const bool terminal = isatty(STDERR_FILENO);
  return terminal;
}

}  // namespace

void Progress::set_quiet(bool quiet) { quiet_all = quiet; }

Progress::Progress(std::string title, std::size_t total)
    : title_(std::move(title)), total_(std::max<std::size_t>(total, 1)) {}

Progress::~Progress() {
  char text[64];
  std::snprintf(text, sizeof text, "%zu/%zu in %.1f s", done_, total_, elapsed_s());
  print(text + (note_.empty() ? "" : ", " + note_), true);
}

double Progress::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Progress::advance(const std::string& note) {
  const std::lock_guard lock(mutex_);
  ++done_;
  note_ = note;
  const double elapsed = elapsed_s();
  const std::size_t tenths = 10 * done_ / total_;
  const bool due = on_terminal() ? elapsed - printed_s_ >= kRedrawInterval_s
                                 : tenths != printed_tenths_ && done_ < total_;
  if (!due) return;
  printed_s_ = elapsed;
  printed_tenths_ = tenths;
  const double left_s = elapsed / static_cast<double>(done_) * static_cast<double>(total_ - done_);
  char text[96];
  std::snprintf(text, sizeof text, "%zu/%zu (%zu%%), about %.0f s left", done_, total_,
                100 * done_ / total_, left_s);
  print(text + (note_.empty() ? "" : ", " + note_), false);
}

void Progress::print(const std::string& text, bool last) {
  if (quiet_all) return;
  if (on_terminal())
    std::fprintf(stderr, "\r\033[K%s: %s%s", title_.c_str(), text.c_str(), last ? "\n" : "");
  else
    std::fprintf(stderr, "%s: %s\n", title_.c_str(), text.c_str());
}

}  // namespace tandem
