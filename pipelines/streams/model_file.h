// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "model/stream_model.h"

namespace tandem::streams {

/// Of the file. Rises when a field goes or changes its meaning.
inline constexpr int kModelSchema = 1;
inline constexpr std::size_t kMostModelBytes = 64 << 10;

/// A model with what it was learnt from.
struct ModelFile {
  std::string version, date, processor, device, platform, driver;  ///< of the samples
  bool is_cpu = false;
  int samples = 0;
  std::vector<StreamCandidate> candidates;  ///< that were measured
  StreamModel model;
};

std::string write_model(const ModelFile& file);
/// Throws std::runtime_error for what is damaged, to go behind the file's name.
ModelFile read_model(const std::string& text);

}  // namespace tandem::streams
