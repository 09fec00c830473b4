// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/end_signals.h"

#include <poll.h>
#include <unistd.h>

namespace tandem {

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

}  // namespace tandem
