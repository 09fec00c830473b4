// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tandem {

/// Reads a JSON text. `skipped` names a key whose values are left out, at any depth: they may be
/// most of a file. Throws std::runtime_error in the form "is not JSON: ...", "line 3: the number
/// 1e400 is too large" or "is nested more than 64 levels deep", to go behind a file's name.
nlohmann::json parse_json(const std::string& text, const char* skipped = nullptr);

/// The same of a text whose order of fields is kept.
nlohmann::ordered_json parse_ordered_json(const std::string& text);

}  // namespace tandem
