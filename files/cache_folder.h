// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// Where Tandem keeps what it would otherwise do anew: $TANDEM_CACHE_DIR, else
/// $XDG_CACHE_HOME/tandem, else ~/.cache/tandem. Empty where there is none. Nothing is made: an
/// OwnFolder does that.
std::string cache_path();

}  // namespace tandem
