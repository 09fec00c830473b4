// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

namespace tandem {

/// The command that installs a Debian package.
std::string apt_advice(const std::string& package);

/// The Debian package of an element, or of a missing-plugin message; empty: unknown.
std::string advice_for_element(const std::string& factory);
std::string advice_for_missing_plugin(GstMessage* message);

}  // namespace tandem
