// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>

#include "pipelines/generate/clang_source.h"

namespace tandem::generate {

/// Whether a variable keeps its value in the expressions at hand: loops' own, and sizes.
using IsFixed = std::function<bool(const Symbol&)>;

/// Null when the expression is not affine in variables that are fixed.
std::optional<Affine> affine_of(const ClangSource& source, CXCursor expression,
                                const IsFixed& is_fixed);

/// Null when the loop does not count. Its bounds are null where they are not affine.
std::optional<Loop> counted_loop(const ClangSource& source, CXCursor loop, const IsFixed& is_fixed);

}  // namespace tandem::generate
