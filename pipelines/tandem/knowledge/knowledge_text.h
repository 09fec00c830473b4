// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scheduler/learn/keep/knowledge.h"

namespace tandem {

/// "vividfilter ! vividhistogram" of what conditions call "GstVividFilter scales=3 ! ...".
std::string element_names(const std::string& stages);

/// `5 min`, `3 h`, `12 days`; for a time to come, `0 min`.
std::string age_text(int64_t seconds);

/// One line: "vividfilter ! vividhistogram, I420 600x416, 2 cores, a device".
std::string describe(const Conditions& conditions);

/// A line an entry, numbered from 1, for the terminal.
std::string list_text(std::span<const Known> known, int64_t now_s);

/// One entry in full: measurements and trials.
std::string show_text(const Known& known, int64_t now_s);

}  // namespace tandem
