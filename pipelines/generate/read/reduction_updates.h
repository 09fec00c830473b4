// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <set>
#include <vector>

#include "pipelines/generate/read/clang_source.h"

namespace tandem::generate {

/// The updates by a loop of the variables of its `reduction`. Threads and devices reduce parts of
/// the iterations and combine the results. An iteration may therefore only add its value: it does
/// not see the variable as earlier iterations left it.
class ReductionUpdates {
 public:
  ReductionUpdates(const ClangSource& source, const std::vector<Reduction>& reductions)
      : source_(source), reductions_(reductions) {}

  /// A statement of the loop's body, before what is in it is read.
  void add(CXCursor statement);
  /// Throws Refusal if this mention of a variable, at a place of the code, is no part of an update.
  void check(const Symbol& symbol, std::size_t at) const;
  /// Whether there was an update of this variable.
  bool changes(const Symbol& symbol) const { return changed_.contains(symbol); }

 private:
  struct Comparison {
    CXCursor value;
    bool value_wins = false;  ///< if it is true, the value replaces the variable
  };

  bool add_update(CXCursor statement);
  bool add_choice(CXCursor statement);
  void allow(const Reduction& reduction, CXCursor part);
  const Reduction* of(CXCursor target) const;
  bool is_target(CXCursor expression, CXCursor target) const;
  bool same(CXCursor a, CXCursor b) const;
  int mentions(CXCursor part, const Symbol& symbol) const;
  bool adds_to(CXCursor value, CXCursor target, const Reduction& reduction) const;
  bool chooses(CXCursor value, CXCursor target, const Reduction& reduction) const;
  std::optional<Comparison> comparison(CXCursor condition, CXCursor target,
                                       const Reduction& reduction) const;
  void check_value(CXCursor value, CXCursor target, const Reduction& reduction) const;

  const ClangSource& source_;
  const std::vector<Reduction>& reductions_;
  std::set<std::size_t> allowed_;  // where variables are mentioned
  std::set<Symbol> changed_;
};

/// Whether an expression is a whole number before the compiler converts it.
bool is_whole(CXCursor expression);

}  // namespace tandem::generate
