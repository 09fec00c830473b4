// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/parse/names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "files/parse_number.h"

namespace tandem {
namespace {

constexpr std::size_t kLongest = 40;

// Names that the code around a body or the languages use.
constexpr auto kTaken = std::to_array<std::string_view>(
    {"abs",    "again",    "barrier",  "bool",     "break",  "case",     "char",     "clamp",
     "const",  "constant", "continue", "default",  "device", "do",       "double",   "else",
     "enum",   "exp",      "extern",   "fabs",     "false",  "float",    "floor",    "fma",
     "fmax",   "fmin",     "for",      "frame",    "global", "goto",     "half",     "height",
     "if",     "inline",   "int",      "kernel",   "local",  "location", "log",      "long",
     "mad",    "max",      "min",      "name",     "parent", "pass",     "pow",      "private",
     "qos",    "register", "restrict", "return",   "round",  "rounds",   "short",    "signed",
     "sizeof", "sqrt",     "static",   "struct",   "switch", "true",     "typedef",  "uchar",
     "uint",   "ulong",    "union",    "unsigned", "ushort", "void",     "volatile", "while",
     "width",  "x",        "y"});

bool is_first(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_later(char c) { return is_first(c) || (c >= '0' && c <= '9'); }

// The place behind what begins at `at` and is no code; `at` itself when it is.
std::size_t skipped(std::string_view code, std::size_t at, bool line_begins) {
  const auto behind = [&](std::string_view end, std::size_t from) {
    const std::size_t found = code.find(end, from);
    return found == code.npos ? code.size() : found + end.size();
  };
  const std::string_view here = code.substr(at);
  if (here.starts_with("//")) return std::min(code.find('\n', at), code.size());
  if (here.starts_with("/*")) return behind("*/", at + 2);
  if (here.front() == '#' && line_begins) {
    std::size_t end = at;
    do end = behind("\n", end);
    while (end < code.size() && end >= 2 && code[end - 2] == '\\');
    return end;
  }
  if (here.front() != '"' && here.front() != '\'') return at;
  for (std::size_t i = at + 1; i < code.size() && code[i] != '\n'; ++i) {
    if (code[i] == '\\') {
      ++i;
    } else if (code[i] == here.front()) {
      return i + 1;
    }
  }
  return at + 1;
}

}  // namespace

std::string problem_of_name(std::string_view name) {
  const std::string quoted = "'" + std::string(name) + "'";
  if (name.empty() || !is_first(name.front()) || !std::ranges::all_of(name, is_later))
    return quoted + " is not a name: use letters, digits and _, beginning with a letter";
  if (name.size() > kLongest)
    return quoted + " is longer than " + std::to_string(kLongest) + " characters";
  if (name.back() == '_' || name.front() == '_' || name.starts_with("tandem"))
    return quoted + " is reserved: a name must not begin or end with _, or begin with tandem";
  if (std::ranges::binary_search(kTaken, name)) return quoted + " is a reserved word";
  return {};
}

std::vector<CodeWord> words_of(std::string_view code) {
  std::vector<CodeWord> words;
  bool line_begins = true;
  for (std::size_t at = 0; at < code.size();) {
    const char c = code[at];
    if (const std::size_t next = skipped(code, at, line_begins); next != at) {
      at = next;
    } else if (c == '\n') {
      line_begins = true;
      ++at;
      continue;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
      continue;
    } else {
      std::size_t end = at + 1;
      if (is_later(c))
        while (end < code.size() && is_later(code[end])) ++end;
      words.push_back({code.substr(at, end - at), at});
      at = end;
    }
    line_begins = at > 0 && code[at - 1] == '\n';
  }
  return words;
}

bool has_short_loops(std::string_view code) {
  constexpr double kMostPasses = 256;
  const std::vector<CodeWord> words = words_of(code);
  std::size_t at = 0;
  const auto next = [&] { return at < words.size() ? words[at++].text : std::string_view(); };
  const auto number = [&]() -> std::optional<int> {
    std::string_view word = next();
    const bool negative = word == "-";
    if (negative) word = next();
    const auto value = parse_number<int>(word);
    if (!value) return {};
    return negative ? -*value : *value;
  };
  double passes = 1;
  while (at < words.size()) {
    const std::string_view word = next();
    if (word == "while") return false;
    if (word != "for") continue;
    if (next() != "(" || next() != "int") return false;
    const std::string_view name = next();
    if (next() != "=") return false;
    const std::optional<int> first = number();
    if (!first || next() != ";" || next() != name) return false;
    const std::string_view less = next();
    if (less != "<" && less != ">") return false;
    const bool reaches = at < words.size() && words[at].text == "=";
    if (reaches) ++at;
    const std::optional<int> last = number();
    if (!last || next() != ";") return false;
    passes *= std::abs(static_cast<double>(*last) - *first) + (reaches ? 1 : 0);
  }
  return passes <= kMostPasses;
}

bool mentions(std::string_view code, std::string_view name) {
  return std::ranges::any_of(words_of(code), [&](const CodeWord& w) { return w.text == name; });
}

}  // namespace tandem
