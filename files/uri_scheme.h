// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <string_view>

namespace tandem {

/// "rtsp" of "RTSP://camera/", in small letters; empty where the text begins with no scheme
/// (RFC 3986, section 3.1).
std::string uri_scheme(std::string_view uri);

/// Whether a text is the name of a scheme, in small letters.
bool is_uri_scheme(std::string_view text);

}  // namespace tandem
