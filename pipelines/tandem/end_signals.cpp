// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/end_signals.h"

#include <csignal>

namespace tandem {

std::vector<int> end_signals() {
  std::vector<int> signals = {SIGINT, SIGTERM};
  struct sigaction hangup;
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
    signals.push_back(SIGHUP);
  return signals;
}

}  // namespace tandem
