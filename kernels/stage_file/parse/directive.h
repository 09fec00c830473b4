// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stage_file/stage_file.h"

namespace tandem {

/// A word of a directive.
struct DirectiveWord {
  std::string text;
  int column = 0;
};

/// One line of the form `//!NAME word word key=value`. Its words are taken one after the other.
class Directive {
 public:
  /// `line`: the text without its line end. Nothing if it is no directive.
  static std::optional<Directive> read(const std::string& path, int number, std::string_view line);

  const std::string& name() const { return name_.text; }
  int line() const { return line_; }

  /// The next word. Throws StageFileError, "`what` is missing", at the end of the line.
  DirectiveWord take(const char* what);
  /// The next word if it is this one.
  bool take_flag(std::string_view flag);
  /// The value of `key=value` anywhere in the line; empty: missing.
  std::optional<DirectiveWord> take_value(std::string_view key);
  /// The next word that is no `key=value`, if any.
  std::optional<DirectiveWord> take_if_any();
  /// The rest of the line, verbatim.
  std::string take_rest();
  /// Throws StageFileError if words are left.
  void end() const;

  /// "sobel.cl:3:9: ..."
  [[noreturn]] void fail(const DirectiveWord& at, const std::string& problem) const;
  [[noreturn]] void fail(const std::string& problem) const { fail(name_, problem); }

  /// A whole or finite number within bounds.
  int whole(const DirectiveWord& word, int least, int most) const;
  double number(const DirectiveWord& word) const;
  /// A name that the code may use.
  std::string identifier(const DirectiveWord& word) const;

 private:
  std::string path_, text_;
  int line_ = 0;
  DirectiveWord name_;
  std::vector<DirectiveWord> words_;
};

/// "sobel.cl:3:9: problem"
std::string at_line(const std::string& path, int line, int column, const std::string& problem);

}  // namespace tandem
