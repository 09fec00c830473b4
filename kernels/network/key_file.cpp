// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/key_file.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "files/ascii.h"
#include "files/utf8.h"

namespace tandem::network {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_ascii_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_ascii_space(text.back())) text.remove_suffix(1);
  return text;
}

[[noreturn]] void fail_line(int line, const char* problem) {
  throw std::runtime_error("line " + std::to_string(line) + " " + problem);
}

}  // namespace

std::vector<std::string> split_list(const std::string& text, char separator) {
  std::vector<std::string> pieces;
  for (std::string_view rest = text;;) {
    const std::size_t end = rest.find(separator);
    pieces.emplace_back(trimmed(rest.substr(0, end)));
    if (end == std::string_view::npos) return pieces;
    rest.remove_prefix(end + 1);
  }
}

std::vector<KeyEntry> parse_key_file(const std::string& text) {
  std::vector<KeyEntry> entries;
  std::string group;
  int number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++number;
    const std::size_t end = rest.find('\n');
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end == std::string_view::npos ? end : end + 1));
    if (line.empty() || line.front() == '#') continue;
    if (!is_utf8(line)) fail_line(number, "is not UTF-8");
    if (line.front() == '[') {
      if (line.back() != ']' || line.size() < 3) fail_line(number, "has no group: write [name]");
      group = trimmed(line.substr(1, line.size() - 2));
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0)
      fail_line(number, "has no key: write key=value");
    if (group.empty()) fail_line(number, "is before the first group: write [name] above it");
    entries.push_back({group, std::string(trimmed(line.substr(0, equals))),
                       std::string(trimmed(line.substr(equals + 1))), number});
  }
  return entries;
}

}  // namespace tandem::network
