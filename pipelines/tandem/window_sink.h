// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// The element that opens windows on the display of this session: on Wayland, else on X. Throws
/// Failure, with what to do about it, where there is none. autovideosink would go on to what draws
/// without a display, and to elements that crash there.
std::string window_sink();

}  // namespace tandem
