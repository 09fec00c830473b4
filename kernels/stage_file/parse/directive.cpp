// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/parse/directive.h"

#include <algorithm>
#include <cmath>

#include "files/parse_number.h"
#include "kernels/stage_file/parse/names.h"

namespace tandem {
namespace {

constexpr std::string_view kBegin = "//!";
constexpr std::string_view kSpace = " \t";

}  // namespace

std::string at_line(const std::string& path, int line, int column, const std::string& problem) {
  return path + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + problem;
}

std::optional<Directive> Directive::read(const std::string& path, int number,
                                         std::string_view line) {
  const std::size_t begin = line.find_first_not_of(kSpace);
  if (begin == line.npos || !line.substr(begin).starts_with(kBegin)) return {};
  Directive directive;
  directive.path_ = path;
  directive.text_ = line;
  directive.line_ = number;
  for (std::size_t at = begin + kBegin.size();;) {
    at = line.find_first_not_of(kSpace, at);
    if (at == line.npos) break;
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    directive.words_.push_back({std::string(line.substr(at, end - at)), static_cast<int>(at) + 1});
    at = end;
  }
  directive.name_ = {"", static_cast<int>(begin) + 1};
  if (directive.words_.empty()) directive.fail("the directive has no name");
  directive.name_ = directive.words_.front();
  directive.words_.erase(directive.words_.begin());
  return directive;
}

DirectiveWord Directive::take(const char* what) {
  if (words_.empty())
    fail({"", static_cast<int>(text_.size()) + 1}, name() + " needs " + std::string(what));
  DirectiveWord word = words_.front();
  words_.erase(words_.begin());
  return word;
}

bool Directive::take_flag(std::string_view flag) {
  const auto found = std::ranges::find(words_, flag, &DirectiveWord::text);
  if (found == words_.end()) return false;
  words_.erase(found);
  return true;
}

std::optional<DirectiveWord> Directive::take_value(std::string_view key) {
  const std::string begin = std::string(key) + "=";
  const auto found = std::ranges::find_if(
      words_, [&](const DirectiveWord& word) { return word.text.starts_with(begin); });
  if (found == words_.end()) return {};
  DirectiveWord value{found->text.substr(begin.size()),
                      found->column + static_cast<int>(begin.size())};
  words_.erase(found);
  return value;
}

std::optional<DirectiveWord> Directive::take_if_any() {
  if (words_.empty() || words_.front().text.find('=') != std::string::npos) return {};
  return take("a word");
}

std::string Directive::take_rest() {
  if (words_.empty()) return {};
  std::string rest = text_.substr(static_cast<std::size_t>(words_.front().column) - 1);
  rest.erase(rest.find_last_not_of(kSpace) + 1);
  words_.clear();
  return rest;
}

void Directive::end() const {
  if (!words_.empty())
    fail(words_.front(), name() + " does not accept '" + words_.front().text + "'");
}

void Directive::fail(const DirectiveWord& at, const std::string& problem) const {
  throw StageFileError(at_line(path_, line_, at.column, problem));
}

int Directive::whole(const DirectiveWord& word, int least, int most) const {
  const auto value = parse_number<int>(word.text);
  if (!value || *value < least || *value > most)
    fail(word, "'" + word.text + "' is not a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most));
  return *value;
}

double Directive::number(const DirectiveWord& word) const {
  const auto value = parse_number<double>(word.text);
  if (!value || !std::isfinite(*value)) fail(word, "'" + word.text + "' is not a number");
  return *value;
}

std::string Directive::identifier(const DirectiveWord& word) const {
  if (const std::string problem = problem_of_name(word.text); !problem.empty()) fail(word, problem);
  return word.text;
}

}  // namespace tandem
