// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipelines/generate/loop_program.h"

namespace tandem::generate {

/// `#pragma omp parallel for` with its clauses. Names are not looked up yet.
struct Pragma {
  Span span;  ///< the line
  std::size_t collapse = 1;
  std::vector<Reduction> reductions;  ///< `symbol` is the bare name
  std::vector<std::string> privates;
};

/// Where a part of the text stands in the file.
using PlaceOf = std::function<Place(std::size_t)>;

/// The pragmas in a part of a file. Throws Refusal for all that are something else.
std::vector<Pragma> read_pragmas(const std::string& text, Span part, const std::string& path,
                                 const PlaceOf& place_of);

}  // namespace tandem::generate
