// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/streams/evaluate.h"

namespace tandem::streams {

/// Whether one setting for all programs does as well as the model, in a sentence.
std::string verdict_on_constant(const Evaluation& found);

/// The page of `tandem streams evaluate`: one file without any other.
std::string evaluation_page(const SampleTable& table, const Evaluation& found);

}  // namespace tandem::streams
