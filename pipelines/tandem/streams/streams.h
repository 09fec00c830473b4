// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/streams/samples.h"
#include "pipelines/streams/stream_model_file.h"

/// The actions of `tandem streams`. Each takes the words behind its name.
namespace tandem {

int streams_measure(const std::vector<std::string>& arguments);
int streams_train(const std::vector<std::string>& arguments);
int streams_evaluate(const std::vector<std::string>& arguments);
int streams_suggest(const std::vector<std::string>& arguments);

/// Reads the output of `tandem streams measure`; throws Failure.
streams::SampleTable read_sample_file(const std::string& path);
/// Reads the output of `tandem streams train`; throws Failure.
StreamModelFile read_model_file(const std::string& path);

}  // namespace tandem
