// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tandem {

/// The range of numbers in a file: `least` to `most`, and 0 or at least `smallest` away from it.
struct NumberBounds {
  double least = 0, most = 1e15, smallest = 0;
};

/// "field 'configurations[0].name' is missing", to go behind a file's name.
[[noreturn]] void fail_field(const std::string& field, const std::string& problem);

/// "null", "of type array"
std::string type_of(const nlohmann::json& value);

/// Reads the fields of one object. Throws std::runtime_error as fail_field() does. The JSON must
/// outlive it.
class JsonObject {
 public:
  /// `path`: where it is in the file, for messages.
  JsonObject(const nlohmann::json& json, std::string path, const NumberBounds& bounds = {});

  const nlohmann::json& at(const char* name) const;
  std::string path_of(const std::string& name) const;
  /// The same object, whose numbers may be others.
  JsonObject within(const NumberBounds& bounds) const { return {json_, path_, bounds}; }

  std::string text(const char* name) const;
  double number(const char* name) const;
  int count(const char* name, int most = std::numeric_limits<int>::max(), int least = 1) const;
  bool flag(const char* name) const;
  const nlohmann::json& list(const char* name, std::size_t most) const;
  JsonObject object(const char* name) const { return {at(name), path_of(name), bounds_}; }
  /// An element of a list.
  JsonObject element(const char* list, std::size_t i) const;

  // Fields that may be null.
  std::optional<std::string> text_or_null(const char* name) const;
  std::optional<double> number_or_null(const char* name) const;
  std::optional<JsonObject> object_or_null(const char* name) const;

  // Fields that are optional.
  bool has(const char* name) const { return json_.contains(name); }
  std::optional<std::string> text_if_there(const char* name) const;
  std::optional<double> number_if_there(const char* name) const;

 private:
  const nlohmann::json& json_;
  std::string path_;
  NumberBounds bounds_;
};

}  // namespace tandem
