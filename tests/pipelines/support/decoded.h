// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tandem::test {

/// Raw frames of one or more streams that came out of a plain GStreamer pipeline.
struct Decoded {
  std::map<std::string, int> frames;  ///< by their size, as "160x96"
  std::vector<uint64_t> times_ns;     ///< running time of each frame, in the order of arrival
  std::string dark_edge;              ///< "top", "right", "bottom" or "left" of the first frame

  std::vector<std::string> sizes() const;
};

/// Decodes all video streams of `uri` to their end. An error is a test failure.
Decoded decode_uri(const std::string& uri);

/// Likewise for a file.
Decoded decode_file(const std::string& path);

}  // namespace tandem::test
