// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/pragmas.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "kernels/stage_file/parse/names.h"

namespace tandem::generate {
namespace {

// The scheduler decides on the schedule, and the analysis of the code finds what is shared.
constexpr std::array<std::string_view, 5> kIgnored{"schedule", "shared", "default", "num_threads",
                                                   "proc_bind"};
constexpr std::array<std::string_view, 7> kOperations{"+", "*", "max", "min", "&", "|", "^"};

class PragmaReader {
 public:
  PragmaReader(const ClangSource& source, const std::string& text, Span line)
      : source_(source), line_(line) {
    // words_of() takes the line for one of the preprocessor's otherwise.
    const std::size_t hash = text.find('#', line.begin);
    begin_ = hash + 1;
    words_ = words_of(std::string_view(text).substr(begin_, line.end - begin_));
    std::erase_if(words_, [](const CodeWord& each) { return each.text == "\\"; });
  }

  Pragma read() {
    Pragma pragma{.span = line_};
    take("pragma");
    if (!is("omp")) fail("'#pragma " + word() + "' is not supported: leave it out");
    take("omp");
    if (!is("parallel"))
      fail("'omp " + word() +
           "' has no counterpart in a stage: write 'omp parallel for', with a reduction for what "
           "iterations share");
    take("parallel");
    if (!is("for")) fail("'omp parallel' without 'for' in the same line: write both there");
    take("for");
    while (at_ < words_.size()) read_clause(pragma);
    return pragma;
  }

 private:
  std::string word() const { return at_ < words_.size() ? std::string(words_[at_].text) : ""; }
  bool is(std::string_view text) const { return word() == text; }
  std::size_t here() const { return at_ < words_.size() ? begin_ + words_[at_].at : line_.end; }
  [[noreturn]] void fail(const std::string& reason) const { source_.refuse(here(), reason); }
  void take(std::string_view text) {
    if (!is(text)) fail("'" + std::string(text) + "' is missing");
    ++at_;
  }
  std::string take_word() {
    const std::string taken = word();
    if (taken.empty()) fail("the pragma ends too early");
    ++at_;
    return taken;
  }

  void read_clause(Pragma& pragma) {
    if (is(",")) return take(",");
    const std::string clause = word();
    const bool is_ignored = std::ranges::find(kIgnored, clause) != kIgnored.end();
    if (clause == "lastprivate")
      fail("'lastprivate' has no meaning, because iterations have no order: leave it out");
    if (clause != "reduction" && clause != "collapse" && clause != "private" && !is_ignored)
      fail("the clause '" + clause +
           "' is not supported: leave it out, or use reduction and private");
    ++at_;
    take("(");
    if (clause == "reduction") {
      read_reduction(pragma);
    } else if (clause == "collapse") {
      const std::string count = take_word();
      std::from_chars(count.data(), count.data() + count.size(), pragma.collapse);
    } else if (clause == "private") {
      while (!is(")"))
        if (const std::string name = take_word(); name != ",") pragma.privates.push_back(name);
    } else {
      for (int depth = 0; depth > 0 || !is(")");) {
        const std::string next = take_word();
        depth += next == "(" ? 1 : next == ")" ? -1 : 0;
      }
    }
    take(")");
  }

  void read_reduction(Pragma& pragma) {
    const std::string operation = word();
    if (std::ranges::find(kOperations, operation) == kOperations.end())
      fail("the reduction by '" + operation + "' is not supported: use + * max min & | or ^");
    ++at_;
    take(":");
    while (!is(")")) {
      Reduction reduction{.operation = operation, .at = source_.place(here())};
      reduction.symbol = take_word();
      if (is("[")) {
        reduction.is_array = true;
        if (operation != "+") fail("an array is reduced by + alone");
        const auto second = at_ + 2 < words_.size() ? words_[at_ + 2].text : "";
        if (at_ + 3 < words_.size() && words_[at_ + 1].text == ":" && words_[at_ + 3].text == "]")
          std::from_chars(second.data(), second.data() + second.size(), reduction.length);
        for (int depth = 0;;) {
          depth += is("[") ? 1 : is("]") ? -1 : 0;
          ++at_;
          if (depth == 0) break;
          if (at_ >= words_.size()) fail("the pragma ends too early");
        }
      }
      pragma.reductions.push_back(reduction);
      if (is(",")) ++at_;
    }
  }

  const ClangSource& source_;
  const Span line_;
  std::size_t begin_ = 0, at_ = 0;
  std::vector<CodeWord> words_;
};

// Comments keep their length, so that places stay: a pragma in a comment is none.
std::string without_comments(std::string text) {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*')) continue;
    const bool line = text[at + 1] == '/';
    const std::size_t found = text.find(line ? "\n" : "*/", at + 2);
    const std::size_t end = found == text.npos ? text.size() : line ? found : found + 2;
    for (; at < end; ++at)
      if (text[at] != '\n') text[at] = ' ';
  }
  return text;
}

}  // namespace

std::vector<Pragma> read_pragmas(const ClangSource& source, Span part) {
  const std::string bare = without_comments(source.text());
  std::vector<Pragma> pragmas;
  for (std::size_t at = part.begin; at < part.end;) {
    std::size_t end = at;
    do end = std::min(bare.find('\n', end == at ? at : end + 1), part.end);
    while (end < part.end && end > at && bare[end - 1] == '\\');
    const std::size_t begin = bare.find_first_not_of(" \t", at);
    if (begin < end && bare[begin] == '#') {
      const std::size_t word = bare.find_first_not_of(" \t", begin + 1);
      if (bare.compare(word, 6, "pragma") != 0)
        source.refuse(begin, "a line of the preprocessor inside of code: leave it out");
      pragmas.push_back(PragmaReader(source, bare, {begin, end}).read());
    }
    const std::size_t inside = bare.find("_Pragma", at);
    if (inside < end) source.refuse(inside, "'_Pragma': write the pragma as a line");
    at = end + 1;
  }
  return pragmas;
}

}  // namespace tandem::generate
