// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/generate/layout.h"

namespace tandem::generate {

/// Which elements of an array an element of a part's outputs needs: both are cut into the same
/// number of pieces of `own` and `other` elements, and piece k needs the pieces k + least to
/// k + most.
struct Follow {
  long own = 1, other = 1;
  long least = 0, most = 0;
  bool operator==(const Follow&) const = default;
};
/// By the number of the part and the name that its code reads. What has none needs the whole array.
using Follows = std::map<std::pair<int, std::string>, Follow>;

/// Of tensors with a shape, where each part of the file is one nest.
Follows follows_of(const LoopProgram& program, const Layout& layout, const StageFile& file);

/// The comment line "// follows: 0.A=1:64 1.rows=8:8:-1:1\n"; empty when there are none.
std::string follows_line(const Follows& follows);
/// Of a stage file's text. Throws std::invalid_argument.
Follows read_follows(const std::string& stage);

}  // namespace tandem::generate
