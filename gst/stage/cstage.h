// SPDX-License-Identifier: LGPL-2.1-or-later
// A stage whose class is written in C, as the base class sees it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gst/stage/stage.h"
#include "kernels/opencl/source_kernel.h"

struct _GstTandemDescription {
  tandem::StageDescription stage;
  std::string kernel_source, kernel_name;  // empty: none
  bool reads_luma = false;
};

namespace tandem {

/// The readable properties of the subclass by name.
struct CSettings final : StageSettings {
  ~CSettings() override;
  int rounds() const override { return passes; }
  GstStructure* values = nullptr;  ///< owned
  int passes = 1;
};

class CWork;

/// The description that the class gives for these values.
_GstTandemDescription describe(GstTandemStage* stage, const GstStructure* values);

extern const StageHooks kCStage;

}  // namespace tandem

struct _GstTandemWork {
  tandem::CWork* work = nullptr;
  const tandem::WorkRequest* request = nullptr;  // while it is made
};

struct _GstTandemFrame {
  const tandem::CWork* work = nullptr;
  tandem::StageFrame* frame = nullptr;
  tandem::opencl::Queue* queue = nullptr;  // while it is enqueued
  std::string problem;                     // of the device
};

namespace tandem {

/// What the functions of the class compute.
class CWork final : public StageWork {
 public:
  /// Throws std::runtime_error with what make_work says.
  CWork(GstTandemStage* stage, const CSettings& settings, const WorkRequest& request);
  ~CWork() override;

  int rows() const override { return rows_; }
  void compute(StageFrame& frame, Rows rows) const override;
  void combine(StageFrame& frame) const override;
  void enqueue(StageFrame& frame, opencl::Queue& queue) const override;
  void publish(StageFrame& frame, GstBuffer* buffer) const override;

  const GstStructure* values() const { return values_; }
  gpointer data() const { return data_; }

  // For make_work.
  void add_output(const TensorSpec& spec) { outputs_.push_back(spec); }
  void add_argument(opencl::SourceKernel::Argument value) { arguments_.push_back(value); }
  void set_rows(int rows) { rows_ = rows; }
  void set_items(std::size_t items) { items_ = items; }
  void set_notice(const char* notice) { notice_ = notice; }
  void set_data(gpointer data, GDestroyNotify destroy);

 private:
  GstTandemStageClass* klass() const { return GST_TANDEM_STAGE_GET_CLASS(stage_); }
  void enqueue_kernel(StageFrame& frame, opencl::Queue& queue) const;

  GstTandemStage* const stage_;
  GstStructure* const values_;
  const std::size_t inputs_;
  int rows_ = 1;
  std::size_t items_ = 1;
  std::vector<opencl::SourceKernel::Argument> arguments_;
  gpointer data_ = nullptr;
  GDestroyNotify destroy_ = nullptr;
  std::unique_ptr<opencl::SourceKernel> kernel_;
  int pixels_ = -1;  // the output that the frame's luma is uploaded to
};

}  // namespace tandem
