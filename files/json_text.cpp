// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/json_text.h"

#include <algorithm>
#include <stdexcept>

namespace tandem {
namespace {

constexpr int kMostLevels = 64;

/// "[json.exception.parse_error.101] parse error at line 1, ...": the code says nothing more.
std::string without_code(const std::string& what) {
  const std::size_t end = what.find("] ");
  return end == std::string::npos ? what : what.substr(end + 2);
}

/// The message of an overflow quotes the number but does not say where it is.
std::string overflow(const std::string& text, const std::string& what) {
  const std::size_t from = what.find('\'') + 1;
  const std::string number = what.substr(from, what.rfind('\'') - from);
  const auto at = static_cast<std::ptrdiff_t>(std::min(text.find(number), text.size()));
  const auto line = 1 + std::count(text.begin(), text.begin() + at, '\n');
  return "line " + std::to_string(line) + ": the number " + number.substr(0, 40) + " is too large";
}

template <typename Json>
Json parse_shallow(const std::string& text, const char* skipped) {
  const auto keep = [skipped](int depth, typename Json::parse_event_t event, Json& parsed) {
    // Checked while it is read: building and freeing such a value would take much memory.
    if (depth > kMostLevels)
      throw std::runtime_error("is nested more than " + std::to_string(kMostLevels) +
                               " levels deep");
    return event != Json::parse_event_t::key || skipped == nullptr || parsed != skipped;
  };
  try {
    return Json::parse(text, keep);
  } catch (const nlohmann::json::out_of_range& error) {
    throw std::runtime_error(overflow(text, error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error("is not JSON: " + without_code(error.what()));
  }
}

}  // namespace

nlohmann::json parse_json(const std::string& text, const char* skipped) {
  return parse_shallow<nlohmann::json>(text, skipped);
}

nlohmann::ordered_json parse_ordered_json(const std::string& text) {
  return parse_shallow<nlohmann::ordered_json>(text, nullptr);
}

}  // namespace tandem
