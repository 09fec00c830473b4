// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Comment lines of stage files that tools read: "// key: name=value name=value".
namespace tandem::generate {

using Comments = std::vector<std::pair<std::string, std::string>>;  ///< name and value

/// With its end of line; empty when there are no words.
std::string comment_line(std::string_view key, const Comments& words);
/// The words of the first such line; values of words without '=' are empty.
Comments read_comment(const std::string& stage, std::string_view key);

}  // namespace tandem::generate
