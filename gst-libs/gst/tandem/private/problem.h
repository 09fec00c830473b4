// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <exception>
#include <utility>

namespace tandem {

/// Holds an exception that cannot leave a function in C. One thread at a time.
struct Problem {
  std::exception_ptr first;

  /// Runs `body`. An exception becomes the problem, and the result is then empty.
  template <typename Body>
  auto attempt(Body&& body) -> decltype(body()) {
    try {
      return body();
    } catch (...) {
      keep(std::current_exception());
      return {};
    }
  }
  void keep(std::exception_ptr problem) {
    if (!first) first = std::move(problem);
  }
  void forget() {
    if (first) first = nullptr;
  }
  /// Throws the problem, if any, and clears it.
  void rethrow() {
    if (first) std::rethrow_exception(std::exchange(first, nullptr));
  }
};

}  // namespace tandem
