// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tandem::test {

/// Makes damaged texts of a good one of JSON: bytes that are damaged, and values of other places
/// and hostile ones in it. The same for the same seed.
class JsonMutator {
 public:
  JsonMutator(std::string good, unsigned seed) : good_(std::move(good)), random_(seed) {
    const nlohmann::json flat = nlohmann::json::parse(good_).flatten();
    for (const auto& [pointer, value] : flat.items()) {
      pointers_.push_back(pointer);
      values_.push_back(value);
    }
  }

  std::string make() {
    if (below(2) == 0) return swap_values();
    std::string text = good_;
    for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n) damage(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  void damage(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ 1 << below(8));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:  // a span once more, somewhere
        text.insert(below(text.size()), text.substr(at, 1 + below(200)));
        break;
      case 3:
        text.erase(at, 1 + below(200));
        break;
      default:  // a digit for another
        if (const std::size_t digit = text.find_first_of("0123456789", at); digit < text.size())
          text[digit] = static_cast<char>('0' + below(10));
    }
  }

  // The text stays JSON: values of others, and hostile ones, at some places.
  std::string swap_values() {
    static const nlohmann::json hostile[] = {nullptr,
                                             true,
                                             -1,
                                             0,
                                             1,
                                             2,
                                             16,
                                             17,
                                             4096,
                                             4097,
                                             2147483647,
                                             -2147483648LL,
                                             1e9,
                                             1e-9,
                                             1e308,
                                             -1e308,
                                             4e-320,
                                             "",
                                             "gg/cg1",
                                             "gg/mg/q8",
                                             "experiment",
                                             nlohmann::json::array(),
                                             nlohmann::json::object(),
                                             18446744073709551615ULL};
    nlohmann::json json = nlohmann::json::parse(good_);
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      const nlohmann::json& value =
          below(2) == 0 ? hostile[below(std::size(hostile))] : values_[below(values_.size())];
      try {
        json[nlohmann::json::json_pointer(pointers_[below(pointers_.size())])] = value;
      } catch (const nlohmann::json::exception&) {  // the place has gone with another
      }
    }
    return json.dump();
  }

  std::string good_;
  std::mt19937 random_;
  std::vector<std::string> pointers_;
  std::vector<nlohmann::json> values_;
};

}  // namespace tandem::test
