// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "kernels/stage_file/run/host_stage.h"
#include "kernels/stage_file/run/stage_file_device.h"

/// Runs a stage without a pipeline, for checks and benches.
namespace tandem {

/// The tensors of a stage for frames of one size: dense rows, in memory of both sides. Guard bytes
/// behind each tensor let a check detect writes there.
class StageMemory {
 public:
  StageMemory(const StageFile& file, const StagePlan& plan,
              std::shared_ptr<opencl::Context> context, int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  std::size_t tensors() const { return buffers_.size(); }
  const StageTensor& tensor(std::size_t i) const { return plan_.tensors[i]; }
  std::size_t bytes(std::size_t i) const;
  opencl::Buffer& buffer(std::size_t i) { return *buffers_[i]; }
  StageView view(std::size_t i, void* data) const;

  /// The index of the tensor with this name in the code: an input, or an output as written last.
  std::size_t index(const std::string& name) const;
  void set(std::size_t i, const void* bytes);
  template <typename Value>
  std::vector<Value> values(const std::string& name) {
    opencl::Buffer& from = buffer(index(name));
    std::vector<Value> result(bytes(index(name)) / sizeof(Value));
    std::memcpy(result.data(), from.host(opencl::Buffer::Access::read),
                result.size() * sizeof(Value));
    return result;
  }
  StageValue& parameter(const std::string& name);
  const std::vector<StageValue>& parameters() const { return parameters_; }
  void set_parameters(std::vector<StageValue> values) { parameters_ = std::move(values); }

  int frame = 0;  ///< counts runs: kept tensors are those of the run before
  // Results of a checking build.
  std::vector<int> reach;  ///< distance at which each tensor was read
  StageOutside outside;    ///< the last index outside of its array
  StageCast cast;          ///< the first float that its integer type cannot hold

 private:
  const StageFile& file_;
  const StagePlan& plan_;
  const int width_, height_;
  std::vector<std::unique_ptr<opencl::Buffer>> buffers_;  // one a tensor of the plan
  std::vector<StageValue> parameters_;
};

class StageRunner {
 public:
  /// Compiles for the cores and, if `context` is not null, the device. `check`: a checking build,
  /// which records how far it reads. Throws StageFileError.
  StageRunner(StageFile file, std::shared_ptr<opencl::Context> context, bool check = false);

  const StageFile& file() const { return file_; }
  const StagePlan& plan() const { return plan_; }
  bool has_host() const { return host_ != nullptr; }
  bool has_device() const { return device_ != nullptr; }

  StageMemory memory(int width, int height) const {
    return {file_, plan_, context_, width, height};
  }
  /// Computes one frame on the cores, in bands that begin at these rows, of which 0 is one. Empty:
  /// one band. Returns the error, if any: a loop that did not settle, or an index outside of its
  /// array in a checking build.
  std::string run_host(StageMemory& memory, const std::vector<int>& bands = {}) const;
  int host_rows(StageMemory& memory) const;
  /// run_host() on several threads, for a plan without bands.
  std::string run_threads(StageMemory& memory, int threads) const;
  std::string run_device(StageMemory& memory) const;
  /// Fills the guard bytes.
  void guard(StageMemory& memory) const;
  /// The tensor behind which guard bytes were overwritten on this side, in words; empty: none.
  std::string overwritten(StageMemory& memory, StageSide side) const;
  /// Enqueues one frame on the device without waiting and without an error message, for timing.
  void enqueue(StageMemory& memory, opencl::Queue& queue) const;
  opencl::Queue& queue() const { return *queue_; }

 private:
  StageCall call(StageMemory& memory, const StageView* views) const;
  // Fills the views with the tensors on the host.
  void place(StageMemory& memory, StageView* views) const;
  // The bytes of a tensor that the side may write.
  std::pair<std::size_t, std::size_t> span(StageMemory& memory, std::size_t i,
                                           StageSide side) const;
  // Kept tensors become those of the previous frame.
  void keep(StageMemory& memory) const;

  const StageFile file_;
  const StagePlan plan_;
  const std::shared_ptr<opencl::Context> context_;
  std::unique_ptr<HostStage> host_;
  std::unique_ptr<StageFileOpenCL> device_;
  std::unique_ptr<opencl::Queue> queue_;
};

}  // namespace tandem
