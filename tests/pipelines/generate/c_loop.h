// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/stage_file/run/c_compiler.h"

namespace tandem::test {

/// The function with loops of a file, as the C compiler makes it.
class CLoop {
 public:
  struct Parameter {
    std::string name;
    bool is_array = false, is_const = false;
    char type = 'f';  ///< f: float, i: int, u: unsigned char
  };

  /// Compiles in `folder`. Throws std::runtime_error.
  CLoop(const std::string& path, const std::string& folder);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  char result() const { return result_; }  ///< of a Parameter, or 'v': none

  /// `arguments` point to arrays and numbers, in the order of the parameters; `result` likewise.
  void run(const std::vector<void*>& arguments, void* result) const;

 private:
  std::vector<Parameter> parameters_;
  char result_ = 'v';
  void* library_ = nullptr;
  void (*call_)(void* const*, void*) = nullptr;
};

}  // namespace tandem::test
