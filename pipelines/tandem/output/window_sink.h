// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// The element that opens windows on the display of this session: on Wayland, else on X. Throws
/// Failure, with what to do about it, where there is none. autovideosink would go on to what draws
/// without a display, and to elements that crash there.
std::string window_sink();

/// From now on a display that goes does not end the process, as libX11 would have it. The thread
/// that finds it out stays where it is for ever: what it belongs to cannot be stopped.
void survive_display();
bool has_lost_display();

}  // namespace tandem
