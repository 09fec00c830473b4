// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/json_object.h"

#include <cmath>
#include <stdexcept>

namespace tandem {

using Json = nlohmann::json;

void fail_field(const std::string& field, const std::string& problem) {
  throw std::runtime_error("field '" + field + "' " + problem);
}

std::string type_of(const Json& value) {
  return value.is_null() ? "null" : std::string("of type ") + value.type_name();
}

JsonObject::JsonObject(const Json& json, std::string path, const NumberBounds& bounds)
    : json_(json), path_(std::move(path)), bounds_(bounds) {
  if (!json_.is_object()) fail_field(path_, "is not an object but " + type_of(json_));
}

const Json& JsonObject::at(const char* name) const {
  const auto found = json_.find(name);
  if (found == json_.end()) fail_field(path_of(name), "is missing");
  return *found;
}

std::string JsonObject::path_of(const std::string& name) const {
  return path_.empty() ? name : path_ + "." + name;
}

std::string JsonObject::text(const char* name) const {
  const Json& value = at(name);
  if (!value.is_string()) fail_field(path_of(name), "is not text but " + type_of(value));
  return value.get<std::string>();
}

double JsonObject::number(const char* name) const {
  const Json& value = at(name);
  if (!value.is_number()) fail_field(path_of(name), "is not a number but " + type_of(value));
  const double number = value.get<double>();
  const auto fail = [&](const std::string& problem) {
    fail_field(path_of(name), "is " + value.dump() + ", " + problem);
  };
  if (number < bounds_.least) fail(bounds_.least == 0 ? "below 0" : "too small");
  if (!(number <= bounds_.most)) fail("too large");
  if (number != 0 && std::abs(number) < bounds_.smallest) fail("too small");
  return number;
}

int JsonObject::count(const char* name, int most, int least) const {
  const Json& value = at(name);
  if (!value.is_number()) fail_field(path_of(name), "is not a number but " + type_of(value));
  const double number = value.get<double>();
  if (!value.is_number_integer() || number > most || number < least) {
    fail_field(path_of(name), "is " + value.dump() + ", not a whole number from " +
                                  std::to_string(least) + " to " + std::to_string(most));
  }
  return value.get<int>();
}

bool JsonObject::flag(const char* name) const {
  const Json& value = at(name);
  if (!value.is_boolean()) fail_field(path_of(name), "is not true or false but " + type_of(value));
  return value.get<bool>();
}

const Json& JsonObject::list(const char* name, std::size_t most) const {
  const Json& value = at(name);
  if (!value.is_array()) fail_field(path_of(name), "is not a list but " + type_of(value));
  if (value.size() > most) {
    fail_field(path_of(name), "has " + std::to_string(value.size()) + " elements, more than " +
                                  std::to_string(most));
  }
  return value;
}

JsonObject JsonObject::element(const char* list, std::size_t i) const {
  return {at(list).at(i), path_of(list) + "[" + std::to_string(i) + "]", bounds_};
}

std::optional<std::string> JsonObject::text_or_null(const char* name) const {
  if (at(name).is_null()) return std::nullopt;
  return text(name);
}

std::optional<double> JsonObject::number_or_null(const char* name) const {
  if (at(name).is_null()) return std::nullopt;
  return number(name);
}

std::optional<JsonObject> JsonObject::object_or_null(const char* name) const {
  if (at(name).is_null()) return std::nullopt;
  return object(name);
}

std::optional<std::string> JsonObject::text_if_there(const char* name) const {
  return has(name) ? text_or_null(name) : std::nullopt;
}

std::optional<double> JsonObject::number_if_there(const char* name) const {
  return has(name) ? number_or_null(name) : std::nullopt;
}

}  // namespace tandem
