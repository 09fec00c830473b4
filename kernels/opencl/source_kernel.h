// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "kernels/opencl/opencl.h"

namespace tandem::opencl {

/// A kernel whose source and arguments are known at run time alone: an application's stage has it.
/// Thread-safe.
class SourceKernel {
 public:
  /// A cl_mem, an `int` or a `float`.
  using Argument = std::variant<void*, int32_t, float>;

  /// Throws Error with the compiler's messages.
  SourceKernel(Context& context, const std::string& source, const std::string& name);
  ~SourceKernel();

  /// Enqueues `items` work-items in one dimension, rounded up to whole groups. Throws Error.
  void enqueue(Queue& queue, std::size_t items, std::span<const Argument> arguments);

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem::opencl
