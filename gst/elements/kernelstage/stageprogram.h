// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <future>
#include <memory>
#include <mutex>

#include "kernels/stage_file/run/host_stage.h"
#include "kernels/stage_file/run/stage_file_device.h"

namespace tandem {

/// A stage file with its code, for all sizes of frames.
struct StageProgram {
  std::shared_ptr<const StageFile> file;
  StagePlan plan;
  std::shared_ptr<const HostStage> host;     ///< null: of the device alone
  std::shared_ptr<opencl::Context> context;  ///< null: of the cores alone
  std::unique_ptr<StageFileOpenCL> device;
};

/// Compiles the file of one element, once for each context. Thread-safe.
class StageCompiler {
 public:
  /// Begins with the code for the cores, on a thread of its own: several stages are compiled at a
  /// time, and the device's compiler works meanwhile.
  void begin(const std::shared_ptr<const StageFile>& file);
  /// Waits for what was begun. `context` may be null. Throws StageFileError with the compiler's
  /// first error, std::runtime_error when nothing can compute the stage, and opencl::Error.
  std::shared_ptr<const StageProgram> program(const std::shared_ptr<const StageFile>& file,
                                              const std::shared_ptr<opencl::Context>& context);

 private:
  void begin_locked(const std::shared_ptr<const StageFile>& file);

  std::mutex mutex_;  // guards all that follows
  std::shared_future<std::shared_ptr<const HostStage>> host_;
  std::shared_ptr<const StageFile> host_file_;  // of host_
  std::shared_ptr<const StageProgram> program_;
};

}  // namespace tandem
