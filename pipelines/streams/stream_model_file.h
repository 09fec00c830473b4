// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/stream_model.h"

namespace tandem {

class JsonObject;

/// The version of the file. Rises when a field is removed or changes its meaning.
inline constexpr int kModelSchema = 1;
inline constexpr std::size_t kMostStreamModelBytes = 64 << 10;

/// The machine, device and version of Tandem with which samples of streams were measured.
struct StreamOrigin {
  std::string version, date, processor, device, platform, driver;
  bool is_cpu = false;
};
/// The first fields of a file of this kind, with their values. read_origin() throws
/// std::runtime_error for files of another kind or schema.
nlohmann::ordered_json json_of(const StreamOrigin& origin, const char* kind, int schema);
StreamOrigin read_origin(const JsonObject& file, const char* kind, int schema);

/// A model with the origin of its samples.
struct StreamModelFile {
  StreamOrigin origin;
  int samples = 0;
  std::vector<StreamCandidate> candidates;  ///< that were measured
  StreamModel model;
};

std::string write_stream_model(const StreamModelFile& file);
/// Throws std::runtime_error with the damage, to follow the file's name.
StreamModelFile read_stream_model(const std::string& text);

}  // namespace tandem
