// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "kernels/opencl/kernel.h"

namespace tandem::opencl {

/// A kernel whose source and arguments are known at run time alone: an application's stage has it.
/// Thread-safe.
class SourceKernel {
 public:
  /// A cl_mem, an `int` or a `float`.
  using Argument = std::variant<void*, int32_t, float>;

  /// Throws Error with the compiler's messages.
  SourceKernel(Context& context, const std::string& source, const std::string& name)
      : kernel_(context, build_program(context, source), name),
        group_(std::min(kSourceGroup, kernel_.max_group())) {}

  /// Enqueues `items` work-items in one dimension, rounded up to whole groups. Throws Error.
  void enqueue(Queue& queue, std::size_t items, std::span<const Argument> arguments) const {
    kernel_.enqueue(queue, round_up(items, group_), group_, All{arguments});
  }

 private:
  struct All {
    std::span<const Argument> arguments;
    void add_to(KernelArguments& to) const {
      for (const Argument& argument : arguments)
        std::visit([&](const auto& value) { to.add(value); }, argument);
    }
  };

  Kernel kernel_;
  std::size_t group_;
};

}  // namespace tandem::opencl
