// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <utility>

#include "kernels/opencl/opencl.h"

namespace tandem {

/// What an element has besides its work: its kernels on the device, made once for each context.
/// `Kernels` is constructible from opencl::Context&.
template <class Kernels>
class DeviceKernels {
 public:
  /// Null without a context. What is returned keeps the context. Throws opencl::Error.
  std::shared_ptr<Kernels> on(const std::shared_ptr<opencl::Context>& context) {
    if (!context) {
      made_.reset();
    } else if (!made_ || made_->context != context) {
      made_ = std::make_shared<Made>(context);
    }
    return made_ ? std::shared_ptr<Kernels>(made_, &made_->kernels) : nullptr;
  }

 private:
  struct Made {
    std::shared_ptr<opencl::Context> context;
    Kernels kernels;
    explicit Made(std::shared_ptr<opencl::Context> on)
        : context(std::move(on)), kernels(*context) {}
  };
  std::shared_ptr<Made> made_;
};

}  // namespace tandem
