// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/generate/read/clang_source.h"

namespace tandem::generate {

/// `#pragma omp parallel for` with its clauses. Names are not looked up yet.
struct Pragma {
  Span span;  ///< the line
  std::size_t collapse = 1;
  std::vector<Reduction> reductions;  ///< `symbol` is the bare name
  std::vector<std::string> privates;
};

/// The pragmas in a part of a file. Throws Refusal for all that are something else.
std::vector<Pragma> read_pragmas(const ClangSource& source, Span part);

}  // namespace tandem::generate
