// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <string>

namespace tandem {

/// The line of a compiler's output to show: the first with "error:", as in "sobel.cl:7:12: error:
/// ...", or else the first that is not blank. `otherwise`: the result for blank output.
inline std::string first_error(const std::string& said, const std::string& otherwise) {
  std::string first = otherwise;
  bool has_words = false;
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    const std::string line = said.substr(at, end - at);
    if (line.find("error:") != std::string::npos) return line;
    if (!has_words && line.find_first_not_of(" \t\r") != std::string::npos) {
      has_words = true;
      first = line;
    }
    at = end + 1;
  }
  return first;
}

}  // namespace tandem
