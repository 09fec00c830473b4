// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/kernelstage/stageprogram.h"

namespace tandem {

void StageCompiler::begin(const std::shared_ptr<const StageFile>& file) {
  if (!has_cores(*file)) return;
  const std::lock_guard lock(mutex_);
  begin_locked(file);
}

void StageCompiler::begin_locked(const std::shared_ptr<const StageFile>& file) {
  if (host_file_ == file) return;
  host_ = std::async(std::launch::async, [file]() -> std::shared_ptr<const HostStage> {
    return std::make_shared<HostStage>(*file, plan_stage(*file));
  });
  host_file_ = file;
}

std::shared_ptr<const StageProgram> StageCompiler::program(
    const std::shared_ptr<const StageFile>& file, const std::shared_ptr<opencl::Context>& context) {
  const std::lock_guard lock(mutex_);
  if (program_ && program_->file == file && program_->context == context) return program_;
  auto made = std::make_shared<StageProgram>();
  made->file = file;
  made->plan = plan_stage(*file);
  made->context = context;
  // Without a compiler and a device, compiling reports the missing part.
  const bool on_cores = has_cores(*file) || (!context && file->only != StageSide::kDevice);
  if (on_cores) begin_locked(file);
  if (context && file->only != StageSide::kCpu)
    made->device = std::make_unique<StageFileOpenCL>(*context, *file, made->plan);
  if (on_cores) made->host = host_.get();
  program_ = made;
  return made;
}

}  // namespace tandem
