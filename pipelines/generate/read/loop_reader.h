// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>

#include "pipelines/generate/read/clang_source.h"

namespace tandem::generate {

/// The value of a variable that keeps it in the expressions at hand: loops' own, and sizes. Null
/// for others.
using ValueOf = std::function<std::optional<Affine>(const Symbol&)>;

/// Null: the expression is not a sum of products of such variables.
std::optional<Affine> affine_of(const ClangSource& source, CXCursor expression,
                                const ValueOf& value_of);

/// Null when the loop does not count. Its bounds are null where affine_of() is.
std::optional<Loop> counted_loop(const ClangSource& source, CXCursor loop, const ValueOf& value_of);

/// The size that is a number of the function outside of its loops. Adds parameters that count as
/// numbers to `numbers`.
std::optional<Affine> size_of(const LoopProgram& program, const Symbol& symbol,
                              std::set<Symbol>& numbers);

}  // namespace tandem::generate
