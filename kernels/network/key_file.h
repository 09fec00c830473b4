// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

namespace tandem::network {

/// An entry of a key file, whose text is UTF-8 without white space at both ends.
struct KeyEntry {
  std::string group, key, value;
  int line = 0;  ///< from 1 on
};

/// Reads the text of a key file as GLib's GKeyFile has it: groups in brackets, `key=value`, and
/// comments that begin with '#'. Values are not unescaped. Throws std::runtime_error, "line 3 ...",
/// to go behind the file's name.
std::vector<KeyEntry> parse_key_file(const std::string& text);

/// The text between separators, without white space at both ends. Nothing is one empty piece.
std::vector<std::string> split_list(const std::string& text, char separator);

}  // namespace tandem::network
