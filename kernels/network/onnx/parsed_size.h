// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string_view>

namespace google::protobuf {
class Descriptor;
}

namespace tandem::network::reader {

/// Checks, before a message is parsed, that it takes at most kMostParsedBytes of memory more than
/// its bytes, and is nested at most kMostDepth deep. A message of no bytes would take 200. Throws
/// Problem.
void check_parsed_size(std::string_view bytes, const google::protobuf::Descriptor& message);

}  // namespace tandem::network::reader
