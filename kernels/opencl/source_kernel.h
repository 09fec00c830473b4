// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "kernels/opencl/opencl.h"

namespace tandem::opencl {

/// A kernel whose arguments are not known before it runs: of somebody else's stage. Thread-safe.
class SourceKernel {
 public:
  /// A cl_mem, an `int` or a `float`.
  using Argument = std::variant<void*, int32_t, float>;

  /// Throws Error with the compiler's messages.
  SourceKernel(Context& context, const std::string& source, const std::string& name);
  ~SourceKernel();

  /// One-dimensional, `items` work-items rounded up to whole groups. Throws Error.
  void enqueue(Queue& queue, std::size_t items, std::span<const Argument> arguments);

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem::opencl
