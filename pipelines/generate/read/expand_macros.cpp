// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/expand_macros.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "files/ascii.h"
#include "kernels/stage_file/parse/names.h"

namespace tandem::generate {
namespace {

/// A word of the code, or of a macro's text.
struct Word {
  std::string gap, text;     // the gap stands in front
  std::size_t from = 0;      // in the original text
  bool is_copied = true;     // it stands at `from`, and its gap in front of it
  bool begins = false;       // it follows a word of another text, which it must not join
  std::set<std::string> in;  // the macros that it comes from, which it cannot be
  std::string number;        // of the first word of such a macro: its name
  std::size_t words = 0;     // and how many words it has
};
using Words = std::vector<Word>;

struct Macro {
  std::size_t at = 0, changed_at = 0;
  bool is_function = false, is_variadic = false, is_joined = false, is_number = false;
  bool changes = false;
  std::vector<std::string> parameters;
  Words body;
};

bool is_name(const std::string& word) {
  return is_ascii_alpha(word.front()) || word.front() == '_';
}

// White space of one kind; comments and continued lines are white space.
std::string short_gap(const std::string& gap) {
  const bool quoted = gap.find('"') != gap.npos || gap.find('\'') != gap.npos;
  return gap.empty() ? "" : quoted ? gap : " ";
}

// The words of code, each with what is in front of it; `end` is what is left behind the last one.
Words words_with_gaps(const std::string& text, std::size_t begin, std::string& end) {
  Words words;
  std::size_t done = 0;
  for (const CodeWord& each : words_of(text)) {
    words.push_back({.gap = text.substr(done, each.at - done),
                     .text = std::string(each.text),
                     .from = begin + each.at});
    done = each.at + each.text.size();
  }
  end = text.substr(done);
  return words;
}

Macro read_macro(const std::string& text, std::size_t begin) {
  Macro macro{.at = begin};
  std::string end;
  Words words = words_with_gaps(text, begin, end);
  std::size_t i = 1;
  if (words.size() > 1 && words[1].text == "(" && words[1].gap.empty()) {
    macro.is_function = true;
    for (i = 2; i < words.size() && words[i].text != ")"; ++i) {
      if (words[i].text == ".") macro.is_variadic = true;
      if (is_name(words[i].text)) macro.parameters.push_back(words[i].text);
    }
    ++i;
  }
  for (; i < words.size(); ++i) {
    Word& word = words[i];
    if (word.text == "\\") continue;
    if (word.text == "#") macro.is_joined = true;
    word.gap = macro.body.empty() ? "" : short_gap(word.gap);
    if (word.gap.empty() && !macro.body.empty() && words[i - 1].text == "\\") word.gap = " ";
    word.is_copied = false;
    macro.body.push_back(word);
  }
  if (short_gap(end).size() > 1)  // a string at the end
    macro.body.push_back({.gap = end, .is_copied = false});
  std::string all;
  for (const Word& word : macro.body) all += word.gap + word.text;
  static const std::regex number(
      R"(\(?\s*-?\s*(0[xX][0-9a-fA-F]+[uUlL]*|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[fFuUlL]*)\s*\)?)");
  macro.is_number = !macro.is_function && std::regex_match(all, number);
  return macro;
}

bool may_join(char left, char right) {
  const auto is_word = [](char c) { return is_ascii_alnum(c) || c == '_' || c == '.'; };
  constexpr std::string_view kOperators = "+-*/%<>=&|!^#";
  return (is_word(left) && is_word(right)) ||
         (kOperators.find(left) != kOperators.npos && kOperators.find(right) != kOperators.npos);
}

class Expander {
 public:
  Expander(const std::string& text, const std::string& path, const std::vector<Span>& definitions)
      : text_(text), path_(path) {
    for (const Span& each : definitions) {
      Macro macro = read_macro(text.substr(each.begin, each.end - each.begin), each.begin);
      const std::string definition = text.substr(each.begin, each.end - each.begin);
      const std::string name(words_of(definition).front().text);
      const auto [found, is_new] = macros_.emplace(name, std::move(macro));
      if (!is_new) {
        found->second.changes = true;
        found->second.changed_at = each.begin;
      }
    }
    static const std::regex undef(R"((^|\n)[ \t]*#[ \t]*undef[ \t]+(\w+))");
    for (auto each = std::sregex_iterator(text.begin(), text.end(), undef);
         each != std::sregex_iterator(); ++each) {
      const auto found = macros_.find((*each)[2]);
      if (found == macros_.end()) continue;
      found->second.changes = true;
      found->second.changed_at = static_cast<std::size_t>(text.find('#', each->position()));
    }
  }

  ExpandedCode expand() {
    std::string end;
    for (const Word& word : replaced(words_with_gaps(text_, 0, end))) {
      append_gap(word);
      append(word);
    }
    append_copy(end, text_.size() - end.size());
    return std::move(code_);
  }

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& reason) const {
    throw Refusal(path_, place_in(text_, at), reason);
  }

  // Replaces macros, and again in what took their places.
  Words replaced(Words words) const {
    Words done;
    std::ranges::reverse(words);  // the next one is at the end
    while (!words.empty()) {
      Word word = std::move(words.back());
      words.pop_back();
      const auto found = macros_.find(word.text);
      if (found == macros_.end() || word.from < found->second.at ||
          (found->second.is_function && (words.empty() || words.back().text != "("))) {
        done.push_back(std::move(word));
        continue;
      }
      if (word.in.contains(word.text))
        refuse(word.from, "the macro '" + word.text + "' stands for itself: give it another name");
      const Macro& macro = found->second;
      if (macro.changes)
        refuse(macro.changed_at,
               "the macro '" + word.text +
                   "' is defined twice or undefined: give each value its own name");
      if (macro.is_joined || macro.is_variadic)
        refuse(word.from, "the macro '" + word.text +
                              "' has # or '...', which is not supported: write its expansion");
      std::vector<Words> arguments;
      std::size_t lines = 0;
      if (macro.is_function) arguments = take_arguments(word, macro, words, lines);
      Words body = substituted(word, macro, arguments);
      if (!words.empty()) words.back().begins = true;
      if (lines > 0)  // what follows keeps its line
        words.push_back({.gap = std::string(lines, '\n'), .from = word.from, .is_copied = false});
      for (auto each = body.rbegin(); each != body.rend(); ++each) words.push_back(*each);
    }
    return done;
  }

  std::vector<Words> take_arguments(const Word& name, const Macro& macro, Words& words,
                                    std::size_t& lines) const {
    std::vector<Words> arguments(1);
    for (int depth = 0;;) {
      if (words.empty()) refuse(name.from, "the macro '" + name.text + "' lacks its ')'");
      Word word = std::move(words.back());
      words.pop_back();
      lines += static_cast<std::size_t>(std::ranges::count(word.gap, '\n'));
      if (word.text == "(" && ++depth == 1) continue;
      if (word.text == ")" && --depth == 0) break;
      if (word.text == "," && depth == 1) {
        arguments.emplace_back();
        continue;
      }
      word.gap = arguments.back().empty() ? "" : short_gap(word.gap);
      arguments.back().push_back(std::move(word));
    }
    if (macro.parameters.empty() && arguments.size() == 1 && arguments[0].empty())
      arguments.clear();
    if (arguments.size() != macro.parameters.size())
      refuse(name.from, "the macro '" + name.text + "' takes " +
                            std::to_string(macro.parameters.size()) + " arguments");
    for (Words& argument : arguments) {
      for (Word& word : argument) word.is_copied = false;
      argument = replaced(std::move(argument));
    }
    return arguments;
  }

  static Words substituted(const Word& name, const Macro& macro,
                           const std::vector<Words>& arguments) {
    Words body;
    bool begins = true;
    const auto add = [&](Word word, const std::string& gap) {
      word.gap = gap;
      word.begins = word.begins || begins;
      begins = false;
      body.push_back(std::move(word));
    };
    for (const Word& each : macro.body) {
      const auto parameter = std::ranges::find(macro.parameters, each.text);
      const std::string gap = body.empty() ? name.gap : each.gap;
      if (parameter == macro.parameters.end()) {
        Word word = each;
        word.from = name.from;
        word.in = name.in;
        word.in.insert(name.text);
        add(std::move(word), gap);
        continue;
      }
      const Words& argument =
          arguments[static_cast<std::size_t>(parameter - macro.parameters.begin())];
      begins = true;
      for (std::size_t i = 0; i < argument.size(); ++i)
        add(argument[i], i == 0 ? gap : argument[i].gap);
      begins = true;
    }
    if (macro.is_number) {
      body[0].number = name.text;
      body[0].words = body.size();
    }
    if (body.empty()) body.push_back({.gap = name.gap, .from = name.from, .is_copied = false});
    return body;
  }

  void piece(std::size_t from, bool is_copied) {
    if (!code_.pieces.empty() && code_.pieces.back().at == code_.text.size())
      code_.pieces.pop_back();
    code_.pieces.push_back({code_.text.size(), from, is_copied});
  }

  void append_copy(const std::string& text, std::size_t from) {
    if (text.empty()) return;
    piece(from, true);
    code_.text += text;
  }

  // OpenMP replaces macros in its pragmas, which are gaps here.
  void append_gap(const Word& word) {
    const std::size_t from = word.from - (word.is_copied ? word.gap.size() : 0);
    std::size_t done = 0;
    static const std::regex pragma(R"((^|\n)[ \t]*#[ \t]*pragma[ \t]+omp)");
    for (auto each = std::sregex_iterator(word.gap.begin(), word.gap.end(), pragma);
         word.is_copied && each != std::sregex_iterator(); ++each) {
      const auto begin = static_cast<std::size_t>(each->position() + each->length());
      std::size_t end = begin;
      do end = std::min(word.gap.find('\n', end == begin ? end : end + 1), word.gap.size());
      while (end < word.gap.size() && word.gap[end - 1] == '\\');
      append_copy(word.gap.substr(done, begin - done), from + done);
      std::string rest;
      for (const Word& inside :
           replaced(words_with_gaps(word.gap.substr(begin, end - begin), from + begin, rest))) {
        append_plain_gap(inside);
        append(inside);
      }
      append_copy(rest, from + end - rest.size());
      done = end;
    }
    Word left = word;
    left.gap = word.gap.substr(done);
    append_plain_gap(left);
  }

  void append_plain_gap(const Word& word) {
    std::string gap = word.gap;
    if (gap.empty() && word.begins && !word.text.empty() && !code_.text.empty() &&
        may_join(code_.text.back(), word.text.front()))
      gap = " ";
    piece(word.is_copied ? word.from - word.gap.size() : word.from,
          word.is_copied && gap == word.gap);
    code_.text += gap;
  }

  void append(const Word& word) {
    piece(word.from, word.is_copied);
    for (auto open = open_.begin(); open != open_.end();) {
      if (--open->second > 0) {
        ++open;
        continue;
      }
      code_.numbers[open->first].span.end = code_.text.size() + word.text.size();
      open = open_.erase(open);
    }
    if (!word.number.empty()) {
      code_.numbers.push_back(
          {{code_.text.size(), code_.text.size() + word.text.size()}, word.number});
      if (word.words > 1) open_.emplace_back(code_.numbers.size() - 1, word.words - 1);
    }
    code_.text += word.text;
  }

  const std::string& text_;
  const std::string& path_;
  std::map<std::string, Macro> macros_;
  ExpandedCode code_;
  std::vector<std::pair<std::size_t, std::size_t>> open_;  // numbers that want more words
};

}  // namespace

std::size_t ExpandedCode::source(std::size_t at) const {
  auto piece = std::ranges::upper_bound(pieces, at, {}, &Piece::at);
  if (piece == pieces.begin()) return at;
  --piece;
  return piece->from + (piece->is_copied ? at - piece->at : 0);
}

ExpandedCode expand_macros(const std::string& text, const std::string& path,
                           const std::vector<Span>& definitions) {
  return Expander(text, path, definitions).expand();
}

ExpandedCode edited(const ExpandedCode& code, std::vector<Edit> edits) {
  std::ranges::stable_sort(
      edits, {}, [](const Edit& edit) { return std::pair(edit.span.begin, edit.span.end); });
  ExpandedCode made;
  std::size_t done = 0;  // of the code
  const auto copy_to = [&](std::size_t end) {
    if (done >= end) return;
    const auto place = [&](std::size_t from) { return made.text.size() + from - done; };
    // The piece that the first byte is in, then those that begin behind it.
    auto piece = std::ranges::upper_bound(code.pieces, done, {}, &ExpandedCode::Piece::at);
    const bool is_copied = piece == code.pieces.begin() || std::prev(piece)->is_copied;
    made.pieces.push_back({place(done), code.source(done), is_copied});
    for (; piece != code.pieces.end() && piece->at < end; ++piece)
      made.pieces.push_back({place(piece->at), piece->from, piece->is_copied});
    made.text += code.text.substr(done, end - done);
    done = end;
  };
  for (const Edit& edit : edits) {
    copy_to(edit.span.begin);
    made.pieces.push_back({made.text.size(), code.source(edit.span.begin), false});
    made.text += edit.text;
    done = edit.span.end;
  }
  copy_to(code.text.size());
  const auto moved = [&](std::size_t at) {
    std::size_t place = at;
    for (const Edit& edit : edits)
      if (edit.span.end <= at) place += edit.text.size() - (edit.span.end - edit.span.begin);
    return place;
  };
  for (const auto& [span, name] : code.numbers)
    made.numbers.push_back({{moved(span.begin), moved(span.end)}, name});
  return made;
}

}  // namespace tandem::generate
