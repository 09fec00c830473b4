// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sstream>
#include <string>

namespace tandem {

/// The line of a compiler's output to show: the first with "error:", as in "sobel.cl:7:12: error:
/// ...", or else the first that is not blank. `otherwise`: the result for blank output.
inline std::string first_error(const std::string& said, const std::string& otherwise) {
  std::string first;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error:") != std::string::npos) return line;
    if (first.empty() && line.find_first_not_of(" \t\r") != std::string::npos) first = line;
  }
  return first.empty() ? otherwise : first;
}

}  // namespace tandem
