// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "pipelines/generate/loop_program.h"

namespace tandem::generate {

/// The names in the stage file of names in the loops' file: another one where a stage has it.
class StageNames {
 public:
  explicit StageNames(const LoopProgram& program) : program_(program) {}
  std::string operator()(const Symbol& symbol) const;
  /// `name`, or one near it that neither file has.
  std::string fresh(const std::string& name);

 private:
  bool is_free(const std::string& name) const;

  const LoopProgram& program_;
  std::set<std::string> made_;
};

/// Text that takes the place of a part of the code.
struct Replacement {
  std::string text;
  std::size_t end = 0;
};
using Replace = std::function<std::optional<Replacement>(const Token&)>;

/// The code of `span` as a stage has it: without comments, with words that a stage knows. `replace`
/// is called for each word.
std::string write_code(const LoopProgram& program, Span span, const StageNames& names,
                       const Replace& replace);

/// Macros that are numbers, tables and functions in front of the parts.
std::string write_common(const LoopProgram& program, const StageNames& names);

/// The lines without the indentation that they share, each indented by so many steps.
std::string indented(const std::string& text, int depth);

/// In parentheses, unless it is one word.
std::string operand(const std::string& text);

}  // namespace tandem::generate
