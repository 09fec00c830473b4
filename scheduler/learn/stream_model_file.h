// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "model/stream_model.h"

namespace tandem {

/// Of the file. Rises when a field goes or changes its meaning.
inline constexpr int kModelSchema = 1;
inline constexpr std::size_t kMostStreamModelBytes = 64 << 10;

/// A model with what it was learnt from.
struct StreamModelFile {
  std::string version, date, processor, device, platform, driver;  ///< of the samples
  bool is_cpu = false;
  int samples = 0;
  std::vector<StreamCandidate> candidates;  ///< that were measured
  StreamModel model;
};

std::string write_stream_model(const StreamModelFile& file);
/// Throws std::runtime_error for what is damaged, to go behind the file's name.
StreamModelFile read_stream_model(const std::string& text);

/// Of the files of a folder the model that was learnt on this device; null where there is none.
std::shared_ptr<const StreamModel> find_stream_model(const std::string& folder,
                                                     const std::string& device);

}  // namespace tandem
