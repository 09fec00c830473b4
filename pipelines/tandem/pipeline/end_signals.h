// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace tandem {

/// The signals that ask a command to end and to keep what it has: SIGINT, SIGTERM, and SIGHUP
/// unless the caller ignores it, as nohup does.
std::vector<int> end_signals();

/// Whether `signal` asks once more where an end was asked for. A terminal that closes sends SIGHUP
/// more than once: the shell passes it on, and the kernel sends it when the shell ends.
constexpr bool counts_again(int signal) { return signal != SIGHUP; }

/// Ends the process now and writes `text` to standard error before, if that does not wait. Takes no
/// lock and unwinds nothing: other threads may hold or wait for anything.
[[noreturn]] void end_process(const std::string& text, int status);

}  // namespace tandem
