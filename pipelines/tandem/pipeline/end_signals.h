// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

namespace tandem {

/// The signals that ask a command to end and to keep what it has: SIGINT, SIGTERM, and SIGHUP
/// unless the caller ignores it, as nohup does.
std::vector<int> end_signals();

/// Ends the process now and writes `text` to standard error before, if that does not wait. Takes no
/// lock and unwinds nothing: other threads may hold or wait for anything.
[[noreturn]] void end_process(const std::string& text, int status);

}  // namespace tandem
