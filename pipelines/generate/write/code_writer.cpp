// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/write/code_writer.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "files/ascii.h"
#include "pipelines/generate/opencl_names.h"

namespace tandem::generate {
namespace {

constexpr std::size_t kLongName = 32;

std::optional<Replacement> nothing(const Token&) { return {}; }

// The gap between two words, without comments: a line end and its indentation, or one space.
std::string gap(std::string_view text) {
  const std::size_t line_ends = text.rfind('\n');
  if (line_ends == text.npos) return text.empty() ? "" : " ";
  std::string kept(text.substr(line_ends));
  const std::size_t end = kept.find_first_not_of(" \t", 1);
  return end == kept.npos ? kept : kept.substr(0, end);
}

std::string as_float(const std::string& whole) {
  const bool digits = std::ranges::all_of(whole, is_ascii_digit);
  return digits ? whole + ".0f" : "(float)" + operand(whole);
}

std::string write_part(const LoopProgram& program, Span span, const StageNames& names,
                       const Replace& replace, bool is_converted) {
  std::string text;
  std::size_t done = span.begin;
  auto token = std::ranges::lower_bound(program.tokens, span.begin, {},
                                        [](const Token& each) { return each.span.begin; });
  for (; token != program.tokens.end() && token->span.begin < span.end; ++token) {
    if (token->span.begin < done) continue;  // inside of what was replaced
    text += gap(std::string_view(program.text).substr(done, token->span.begin - done));
    done = token->span.end;
    const auto number =
        std::ranges::lower_bound(program.numbers, token->span.begin, {},
                                 [](const NamedNumber& each) { return each.span.begin; });
    const auto real = std::ranges::lower_bound(program.real_arguments, token->span.begin, {},
                                               [](const Span& each) { return each.begin; });
    if (real != program.real_arguments.end() && real->begin == token->span.begin &&
        span.holds(*real) && !(is_converted && real->begin == span.begin)) {
      text += as_float(write_part(program, *real, names, replace, true));
      done = real->end;
    } else if (number != program.numbers.end() && number->span.begin == token->span.begin &&
               !is_taken_name(number->name)) {
      text += number->name;
      done = number->span.end;
    } else if (const auto other = replace(*token)) {
      text += other->text;
      done = other->end;
    } else if (!token->symbol.empty()) {
      text += names(token->symbol);
    } else {
      const std::string word = opencl_name(program.code(token->span));
      text += word;
      if (word.empty())  // with the space behind it
        while (done < span.end && is_ascii_space(program.text[done])) ++done;
    }
  }
  return text;
}

}  // namespace

std::string StageNames::operator()(const Symbol& symbol) const {
  if (symbol.find('#') == symbol.npos) return symbol;
  std::string name = name_of_symbol(symbol);
  if (!is_taken_name(name)) return name;
  // Names that a stage has for itself get a number; what else it refuses, such as _x, another name.
  const bool plain = name.front() != '_' && name.back() != '_' && !name.starts_with("tandem") &&
                     name.size() < kLongName;
  const auto place = std::distance(program_.names.begin(), program_.names.find(name));
  const std::string base =
      plain ? name : std::string("v").append(std::to_string(place)).append("n");
  for (int i = 0;; ++i) {
    const std::string candidate = base + std::to_string(i);
    if (!program_.names.contains(candidate) && !is_taken_name(candidate)) return candidate;
  }
}

bool StageNames::is_free(const std::string& name) const {
  return !program_.names.contains(name) && !made_.contains(name) && !is_taken_name(name);
}

std::string StageNames::fresh(const std::string& name) {
  std::string candidate = name;
  for (int i = 1; !is_free(candidate); ++i) candidate = name + std::to_string(i);
  made_.insert(candidate);
  return candidate;
}

std::string write_code(const LoopProgram& program, Span span, const StageNames& names,
                       const Replace& replace) {
  return write_part(program, span, names, replace, false);
}

std::string write_common(const LoopProgram& program, const StageNames& names) {
  std::string text;
  std::set<std::string> defined;
  for (const NamedNumber& number : program.numbers)
    if (!is_taken_name(number.name) && defined.insert(number.name).second)
      text += "#define " + number.name + " " + program.code(number.span) + "\n";
  for (const Span& table : program.tables) {
    const Replace without_const = [&](const Token& token) -> std::optional<Replacement> {
      const std::string word = program.code(token.span);
      if (word != "const") return {};
      std::size_t end = token.span.end;
      while (program.text[end] == ' ') ++end;
      return Replacement{"", end};
    };
    text += "constant " + write_code(program, table, names, without_const) + ";\n";
  }
  for (const Span& function : program.functions)
    text += write_code(program, function, names, nothing) + "\n";
  return text;
}

std::string indented(const std::string& text, int depth) {
  std::vector<std::string> lines;
  std::size_t shared = std::string::npos;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos) continue;
    shared = std::min(shared, begin);
    lines.push_back(line);
  }
  std::string result;
  for (const std::string& line : lines)
    result.append(2 * static_cast<std::size_t>(depth), ' ').append(line, shared).append("\n");
  return result;
}

std::string operand(const std::string& text) {
  const bool word = std::ranges::all_of(text, [](char c) { return is_ascii_alnum(c) || c == '_'; });
  return word ? text : "(" + text + ")";
}

}  // namespace tandem::generate
