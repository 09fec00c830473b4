// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// The element that opens windows on the display of this session: on Wayland, else on X. Throws
/// Failure with the remedy if there is none. autovideosink would try sinks that need no display,
/// and sinks that crash there.
std::string window_sink();

/// From now on a lost display does not end the process, as it would by libX11. The thread that
/// detects the loss is blocked forever, so its pipeline cannot be stopped.
void survive_display();
bool has_lost_display();

}  // namespace tandem
