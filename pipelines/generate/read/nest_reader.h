// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>

#include "pipelines/generate/read/loop_reader.h"
#include "pipelines/generate/read/pragmas.h"
#include "pipelines/generate/read/reduction_updates.h"

namespace tandem::generate {

/// The parts of the rest of the file that nests of a function use.
struct FileUses {
  std::map<std::size_t, Span> tables, functions;  ///< by their place
  std::set<std::size_t> open;                     ///< functions that are being read
  std::set<Symbol> numbers;                       ///< LoopProgram::fixed
  std::map<std::size_t, Span> real_arguments;     ///< LoopProgram::real_arguments, by their place
};

/// Reads loops of a function whose arrays and scalars are known, and refuses constructs without a
/// counterpart in a stage.
class NestReader {
 public:
  NestReader(const ClangSource& source, const LoopProgram& program, FileUses& uses)
      : source_(source), program_(program), uses_(uses) {}

  /// `time` is the variable of the sequential loop around it, if there is one.
  Nest read(const Pragma& pragma, CXCursor loop, const std::optional<Loop>& time);
  /// An expression outside of the loops: no array, nothing assigned.
  void check_scalar(CXCursor expression);

 private:
  struct Local {
    std::size_t level = 0;
    bool is_array = false;
    bool is_set = false;          ///< by its declaration
    std::optional<Affine> value;  ///< in the variables of the loops around it
  };

  bool is_counter(const Symbol& symbol) const;
  std::optional<Affine> value_of(const Symbol& symbol) const;
  std::optional<Affine> affine(CXCursor expression) const;
  bool is_linear(const Affine& a) const;
  std::optional<Loop> counted(CXCursor loop) const;
  std::vector<Loop> loops() const;
  [[noreturn]] void refuse_loop(CXCursor loop, const std::optional<Loop>& counted) const;
  void take_clauses(const Pragma& pragma);
  void walk_level(CXCursor loop, bool parallel);
  void walk(CXCursor cursor);
  void walk_all(CXCursor cursor);
  void walk_statement(CXCursor statement);
  void walk_choice(CXCursor cursor);
  void take_value(CXCursor target, CXCursor value);
  void add_facts(CXCursor condition, bool holds);
  void walk_loop(CXCursor cursor);
  void walk_declaration(CXCursor cursor);
  void walk_write(CXCursor target, CXCursor assignment, bool reads);
  void walk_name(CXCursor cursor);
  void walk_call(CXCursor cursor);
  void walk_function(CXCursor function);
  void walk_element(CXCursor cursor, bool reads, bool writes, Span assignment);
  void assign(const Symbol& symbol, CXCursor at);
  void use_table(CXCursor declared);
  void check_type(CXCursor expression) const;
  void count();

  const ClangSource& source_;
  const LoopProgram& program_;
  FileUses& uses_;
  Nest nest_;
  std::map<Symbol, Local> locals_;
  std::vector<Loop> inner_;  // loops below the nest's levels
  std::vector<Fact> facts_;
  std::optional<ReductionUpdates> updates_;  // of the nest that is read
  std::vector<Symbol> counters_;             // variables of loops that count
  int conditions_ = 0, breakable_ = 0;
  bool in_function_ = false, in_nest_ = false;
};

}  // namespace tandem::generate
