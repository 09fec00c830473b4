// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/streams/samples.h"

/// The actions of `tandem streams`. Each takes the words behind its name.
namespace tandem {

int streams_measure(const std::vector<std::string>& arguments);

/// Reads what `tandem streams measure` wrote; throws Failure.
streams::SampleTable read_sample_file(const std::string& path);

}  // namespace tandem
