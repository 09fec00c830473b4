// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/frame.h>
#include <gst/tandem/private/description.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/opencl/source_kernel.h"

namespace tandem {

/// Most gst_tandem_work_add_int() and gst_tandem_work_add_float() of one work.
inline constexpr std::size_t kMostArguments = 16;

/// The kernel of gst_tandem_description_set_kernel() with the arguments that make_work gave it: the
/// whole device side of a stage.
class StageKernel {
 public:
  void set_items(std::size_t items) { items_ = items; }
  /// False: there are kMostArguments already.
  bool add_argument(opencl::SourceKernel::Argument value);
  /// The luma of a frame is uploaded to this output, and is the first argument.
  void take_luma(int output) { luma_ = output; }
  /// Throws opencl::Error.
  void build(opencl::Context& context, const _GstTandemDescription& description);

  bool is_built() const { return kernel_ != nullptr; }
  /// Throws opencl::Error.
  void enqueue(GstTandemFrame& frame, opencl::Queue& queue) const;

 private:
  std::size_t items_ = 1;
  std::vector<opencl::SourceKernel::Argument> arguments_;
  std::unique_ptr<opencl::SourceKernel> kernel_;
  int luma_ = -1;  // none
};

}  // namespace tandem
