// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/write/stage_comments.h"

#include <sstream>

namespace tandem::generate {

std::string comment_line(std::string_view key, const Comments& words) {
  if (words.empty()) return {};
  std::string line = "// " + std::string(key) + ":";
  for (const auto& [name, value] : words) line += " " + name + "=" + value;
  return line + "\n";
}

Comments read_comment(const std::string& stage, std::string_view key) {
  const std::string begin = "// " + std::string(key) + ": ";
  std::istringstream lines(stage);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(begin)) continue;
    Comments words;
    std::istringstream rest(line.substr(begin.size()));
    for (std::string word; rest >> word;) {
      const std::size_t is = word.find('=');
      words.emplace_back(word.substr(0, is), is == word.npos ? "" : word.substr(is + 1));
    }
    return words;
  }
  return {};
}

}  // namespace tandem::generate
