// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"
#include "kernels/stage_file/codegen/stage_plan.h"
#include "kernels/stage_file/run/stage_call.h"

namespace tandem {

/// A stage on an OpenCL device.
class StageFileOpenCL {
 public:
  /// Throws StageFileError with the compiler's first error, and opencl::Error.
  StageFileOpenCL(opencl::Context& context, const StageFile& file, const StagePlan& plan);
  ~StageFileOpenCL();
  /// Enqueues all steps; `data` of the tensors are cl_mem. Throws opencl::Error. A loop that may
  /// settle is waited for at intervals, so that few superfluous passes are enqueued.
  void enqueue(opencl::Queue& queue, const StageCall& call) const;
  /// Enqueues rows of the plan's grid, for a frame that can be split; see why_whole().
  void enqueue_rows(opencl::Queue& queue, const StageCall& call, Rows rows) const;

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem
