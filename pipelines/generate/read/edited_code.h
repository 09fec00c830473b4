// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/generate/read/expand_macros.h"

namespace tandem::generate {

/// Other text for a part of the code; an empty part: text in front of what is there.
struct Edit {
  Span span;
  std::string text;
};

/// Parts do not overlap. Several at one place keep their order.
ExpandedCode edited(const ExpandedCode& code, std::vector<Edit> edits);

}  // namespace tandem::generate
