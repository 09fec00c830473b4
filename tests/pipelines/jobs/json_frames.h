// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace tandem::test {

/// Lines of JSON without what differs from run to run: the time by the clock, and ids, which count
/// in a process. Numbers keep their text.
inline std::vector<std::string> comparable(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    auto json = nlohmann::ordered_json::parse(line);
    json.erase("time");
    for (auto& detection : json.at("detections")) detection.erase("id");
    lines.push_back(json.dump());
  }
  return lines;
}

}  // namespace tandem::test
