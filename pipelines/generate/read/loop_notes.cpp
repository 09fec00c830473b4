// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/loop_notes.h"

#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "files/ascii.h"
#include "files/parse_number.h"
#include "kernels/stage_file/parse/directive.h"

namespace tandem::generate {
namespace {

class NoteReader {
 public:
  NoteReader(const std::string& path, int line) : path_(path), line_(line) {}

  double number(const std::string& text) const {
    const auto value = parse_number<double>(text);
    if (!value) fail("'" + text + "' is not a number");
    return *value;
  }

  // "name=value" words.
  std::vector<std::pair<std::string, std::string>> pairs(const std::string& rest) const {
    std::vector<std::pair<std::string, std::string>> all;
    std::istringstream words(rest);
    for (std::string word; words >> word;) {
      const std::size_t is = word.find('=');
      if (is == word.npos || is == 0) fail("'" + word + "' is not of the form name=value");
      all.emplace_back(word.substr(0, is), word.substr(is + 1));
    }
    return all;
  }

  std::pair<std::string, std::string> range(const std::string& text) const {
    const std::size_t dots = text.find("..");
    if (dots == text.npos) fail("a range is written as in 1..64");
    return {text.substr(0, dots), text.substr(dots + 2)};
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw std::runtime_error(at_line(path_, line_, 1, problem));
  }

  const std::string& path_;
  const int line_;
};

}  // namespace

LoopNotes read_notes(const std::string& text, const std::string& path) {
  LoopNotes notes;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const NoteReader reader(path, ++number);
    if (!line.starts_with("// ")) continue;
    const std::string rest = line.substr(3);
    const auto value_of = [&](std::string_view key) -> std::optional<std::string> {
      if (!rest.starts_with(key)) return {};
      return rest.substr(rest.find_first_not_of(' ', key.size()));
    };
    if (const auto data = value_of("data:")) {
      auto& set = notes.data.emplace_back();
      for (const auto& [name, value] : reader.pairs(*data)) set[name] = reader.number(value);
    } else if (const auto values = value_of("values:")) {
      for (const auto& [name, value] : reader.pairs(*values)) {
        const auto [least, most] = reader.range(value);
        notes.values[name] = {least, most};
      }
    } else if (notes.summary.empty() && !rest.starts_with("SPDX") && !value_of("random:") &&
               !value_of("refused:")) {
      notes.summary = rest;
    }
  }
  return notes;
}

double value_of(const std::string& bound, const std::map<std::string, double>& values) {
  const std::size_t minus = bound.find('-', 1);
  const std::string name = bound.substr(0, minus);
  const auto found = values.find(name);
  const double value = found == values.end() ? leading_number(name) : found->second;
  return minus == bound.npos ? value : value - leading_number(bound.substr(minus + 1));
}

}  // namespace tandem::generate
