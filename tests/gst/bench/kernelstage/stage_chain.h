// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "kernels/stage_file/run/host_stage.h"
#include "kernels/stage_file/run/stage_file_device.h"

namespace tandem {

/// Stage files one behind the other, without a pipeline: what one leaves under a name is what the
/// next reads under it. Frames of one size, dense rows, parameters as they are by default.
class StageChain {
 public:
  StageChain(std::vector<StageFile> files, std::shared_ptr<opencl::Context> context, int width,
             int height);
  /// Compiles for both sides. `context` may be null: the cores alone.
  StageChain(const std::vector<std::string>& texts, std::shared_ptr<opencl::Context> context,
             int width, int height);

  opencl::Buffer& buffer(const std::string& name) { return *buffers_.at(name); }
  int width() const { return width_; }
  int height() const { return height_; }

  void on_one_core();                  ///< all of it, on this thread
  void enqueue(opencl::Queue& queue);  ///< throws opencl::Error

 private:
  struct Stage {
    StageFile file;
    StagePlan plan;
    std::unique_ptr<HostStage> host;
    std::unique_ptr<StageFileOpenCL> device;
    std::vector<StageValue> parameters;
    std::vector<std::string> buffers;  // names, one a tensor of the plan
  };
  template <typename Data, typename Run>
  void each(const Data& data, const Run& run);

  const int width_, height_;
  std::vector<Stage> stages_;
  std::map<std::string, std::unique_ptr<opencl::Buffer>> buffers_;
};

}  // namespace tandem
