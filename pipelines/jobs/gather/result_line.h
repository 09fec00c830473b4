// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace tandem {

/// The line of JSON of this frame of its video, whoever wrote it. Throws std::runtime_error: "the
/// line of frame 7 is not JSON: ...".
nlohmann::ordered_json read_result_line(const std::string& line, uint64_t frame);

}  // namespace tandem
