// SPDX-License-Identifier: LGPL-2.1-or-later
// What the functions of a stage's class say and compute, as the base class sees it.
#pragma once

#include <gst/tandem/private/slotframe.h>
#include <gst/tandem/private/stagedescription.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/opencl/source_kernel.h"
#include "scheduler/flow/split_rows.h"

struct _GstTandemDescription {
  tandem::StageDescription stage;
  std::string kernel_source, kernel_name;  // empty: none
  bool reads_luma = false;
  bool takes_deferred = false;  // opencl::take_deferred()
};

namespace tandem {

/// The properties of a stage as they were at one moment.
struct StageSettings {
  StageSettings() = default;
  StageSettings(const StageSettings&) = delete;
  StageSettings& operator=(const StageSettings&) = delete;
  ~StageSettings();

  std::string all;   ///< the element and all of its properties: the same text, the same values
  std::string work;  ///< the same without those that leave the work as it is
  /// How often frames pass the part of the chain that ends with this stage; at least 1. Part of the
  /// settings, because a frame's way is known before there is work for it.
  int rounds = 1;
  /// Owned. By name: the readable properties of the subclass, and of its children.
  GstStructure* values = nullptr;
};

class ClassWork;

/// Most gst_tandem_work_add_int() and gst_tandem_work_add_float() of one work.
inline constexpr std::size_t kMostArguments = 16;

/// What the stage is with the properties that it has now. Asked before its first frame, of each
/// instance.
StageDescription describe_now(GstTandemStage* stage);
/// The properties as they are now.
std::shared_ptr<const StageSettings> read_settings(GstTandemStage* stage);

}  // namespace tandem

/// Holds what a function in C cannot throw.
struct GstTandemProblem {
  std::exception_ptr problem;  // the first

  /// Runs `body`; what it throws becomes the problem.
  template <typename Body>
  auto attempt(Body&& body) -> decltype(body()) {
    try {
      return body();
    } catch (...) {
      if (!problem) problem = std::current_exception();
      return {};
    }
  }
  void rethrow() const {
    if (problem) std::rethrow_exception(problem);
  }
};

/// While it is made.
struct _GstTandemWork : GstTandemProblem {
  _GstTandemWork(tandem::ClassWork& of, const tandem::SlotRequest& made_for)
      : work(of), request(made_for) {}
  tandem::ClassWork& work;
  const tandem::SlotRequest& request;
};

struct _GstTandemFrame : GstTandemProblem {
  /// Which function of the class has it: what memory it may see.
  enum class Inside { fits, prepare, compute, enqueue, join, results };

  _GstTandemFrame(const tandem::ClassWork& of, tandem::SlotFrame& slot, Inside function)
      : work(of), frame(slot), inside(function) {}
  const tandem::ClassWork& work;
  tandem::SlotFrame& frame;
  const Inside inside;
  tandem::opencl::Queue* queue = nullptr;  // while it is enqueued
  bool whole = false;                      // then: all rows at once, on one device alone
  tandem::Rows band;                       // of a frame that is enqueued band by band; else none
  bool in_bands() const { return band.count() > 0; }
};

namespace tandem {

/// What one stage computes for frames of one size and tensors of one shape, with the properties
/// that it was made with. Immutable: several threads work with it at the same time. All that
/// compute may throw.
class ClassWork {
 public:
  /// Throws std::runtime_error with what make_work says, opencl::Error if the reason is the device.
  /// Called with no lock held, from whichever thread has the first such frame.
  ClassWork(GstTandemStage* stage, const StageSettings& settings, const SlotRequest& request);
  ~ClassWork();
  ClassWork(const ClassWork&) = delete;
  ClassWork& operator=(const ClassWork&) = delete;

  /// What the stage writes, fixed for the life of the work.
  const std::vector<TensorSpec>& outputs() const { return outputs_; }
  /// What the user should know about it, posted as a warning when it is made; mostly empty.
  std::string take_notice() const;
  int rows() const { return rows_; }

  /// Whether it can be used for a frame whose tensors have the right specs. Cheap: asked for every
  /// frame.
  bool fits(SlotFrame& frame) const;
  /// Host values that go with the outputs, before anything is computed on either side.
  void prepare(SlotFrame& frame) const;
  /// The CPU side: `compute` for disjoint bands, from many threads, then `combine`, once.
  void compute(SlotFrame& frame, Rows rows) const;
  void combine(SlotFrame& frame) const;
  /// The device side: enqueues all of it. Several threads at a time, each with a queue of its own.
  void enqueue(SlotFrame& frame, opencl::Queue& queue) const;
  /// Once all that was enqueued is done: puts what goes into the frame's pixels there. Until then
  /// they are what they were, for the CPU when the device fails.
  void collect(SlotFrame& frame) const;
  /// Whether a device can compute the first rows of a frame while the cores compute the last ones.
  bool splits() const { return klass()->enqueue_rows != nullptr; }
  /// The rows of the stage that makes input `input` which rows of this one are computed from.
  Rows needs(int input, Rows rows) const;
  /// How many equal parts an output has, in each of which the rows lie one after the other; 0: it
  /// has no rows.
  int planes(int output) const { return planes_[static_cast<std::size_t>(output)]; }
  /// Where a row begins in each of these, in bytes; row rows() is where they end.
  std::size_t row_begin(int output, int row) const;
  /// Enqueues the rows before `end`.
  void enqueue_first(SlotFrame& frame, opencl::Queue& queue, int end) const;
  /// Enqueues rows of a frame that the device computes in bands, after those before them.
  void enqueue_band(SlotFrame& frame, opencl::Queue& queue, Rows rows) const;
  /// Enqueues the download of an output as far as these rows make it: of one without rows, with the
  /// last ones.
  void download_band(SlotFrame& frame, opencl::Queue& queue, int output, Rows rows) const;
  /// Once both sides are done, instead of combine() and collect().
  void join(SlotFrame& frame, const SplitRows& rows) const;
  /// Puts results that are not tensors on the buffer (which is writable), after either side.
  void publish(SlotFrame& frame, GstBuffer* buffer) const;

  const GstStructure* values() const { return values_.get(); }
  gpointer data() const { return data_.get(); }

  // For make_work.
  void add_output(const TensorSpec& spec) {
    outputs_.push_back(spec);
    planes_.push_back(spec.scratch ? 0 : 1);
  }
  void set_planes(std::size_t output, int planes) { planes_[output] = planes; }
  bool add_argument(opencl::SourceKernel::Argument value) {
    if (arguments_.size() == kMostArguments) return false;
    arguments_.push_back(value);
    return true;
  }
  void set_rows(int rows) { rows_ = rows; }
  void set_items(std::size_t items) { items_ = items; }
  void set_notice(const char* notice) { notice_ = notice; }
  void set_data(gpointer data, GDestroyNotify destroy) { data_ = {data, Destroy{destroy}}; }

 private:
  struct FreeValues {
    void operator()(GstStructure* values) const { gst_structure_free(values); }
  };
  struct Destroy {
    GDestroyNotify destroy;
    void operator()(void* data) const {
      if (destroy) destroy(data);
    }
  };

  GstTandemStageClass* klass() const { return GST_TANDEM_STAGE_GET_CLASS(stage_); }
  template <typename Call>
  void enqueue_by(SlotFrame& frame, opencl::Queue& queue, Call&& call) const;
  void enqueue_kernel(SlotFrame& frame, opencl::Queue& queue) const;

  GstTandemStage* const stage_;
  const std::unique_ptr<GstStructure, FreeValues> values_;
  const std::size_t inputs_;
  std::vector<TensorSpec> outputs_;
  std::vector<int> planes_;  // of each
  std::string notice_;
  int rows_ = 1;
  std::size_t items_ = 1;
  std::vector<opencl::SourceKernel::Argument> arguments_;
  std::unique_ptr<void, Destroy> data_;
  std::unique_ptr<opencl::SourceKernel> kernel_;
  bool takes_deferred_ = false;
  int pixels_ = -1;  // the output that the frame's luma is uploaded to
};

}  // namespace tandem
