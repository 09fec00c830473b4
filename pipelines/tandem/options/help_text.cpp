// SPDX-License-Identifier: LGPL-2.1-or-later
#include <glib.h>

#include <vector>

#include "pipelines/tandem/options/options.h"

namespace tandem {
namespace {

int length(std::string_view text) {
  return static_cast<int>(g_utf8_strlen(text.data(), static_cast<gssize>(text.size())));
}

// Where the text of an option begins: behind the first two spaces that follow a word.
std::size_t text_of_option(std::string_view line) {
  const std::size_t name = line.find_first_not_of(' ');
  if (name == 0 || name == std::string_view::npos || line[name] != '-') return 0;
  const std::size_t gap = line.find("  ", name);
  const std::size_t text = line.find_first_not_of(' ', gap);
  return gap == std::string_view::npos || text == std::string_view::npos ? 0 : text;
}

std::string wrap_line(std::string_view line, int columns) {
  const std::size_t start = text_of_option(line);
  const int margin = length(line.substr(0, start));
  std::string wrapped(line.substr(0, start));
  int column = margin;
  for (const std::string& word : split(line.substr(start), ' ')) {
    if (column > margin && column + 1 + length(word) > columns) {
      wrapped.append("\n").append(static_cast<std::size_t>(margin), ' ');
      column = margin;
    } else if (column > margin || word.empty()) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += length(word);
  }
  return wrapped;
}

}  // namespace

std::string wrap_help(std::string_view help, int columns) {
  std::string wrapped;
  const std::vector<std::string> lines = split(help, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) wrapped += '\n';
    wrapped += length(lines[i]) > columns ? wrap_line(lines[i], columns) : lines[i];
  }
  return wrapped;
}

}  // namespace tandem
