// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

namespace tandem {

/// How a user installs a Debian package.
std::string apt_advice(const std::string& package);

/// Which Debian package brings an element or what a missing-plugin message asks for; empty when
/// unknown.
std::string advice_for_element(const std::string& factory);
std::string advice_for_missing_plugin(GstMessage* message);

}  // namespace tandem
