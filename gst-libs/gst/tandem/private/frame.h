// SPDX-License-Identifier: LGPL-2.1-or-later
// GstTandemFrame inside the library.
#pragma once

#include <gst/tandem/frame.h>
#include <gst/tandem/private/guard.h>
#include <gst/tandem/private/ref.h>
#include <gst/tandem/private/tensorchoice.h>
#include <gst/tandem/private/work.h>
#include <gst/tandem/stage.h>
#include <gst/video/video.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"
#include "scheduler/flow/split_rows.h"

/// One frame at one stage, with the tensors that the stage reads and makes. A FrameItem has one for
/// each stage. Pointers are borrowed and valid while the stage works on the frame.
///
/// A call on the host and one for the device may be in it at a time. Each keeps its state apart.
///
///   | call   | functions                 | threads                                     |
///   | host   | `compute`                 | many                                        |
///   | host   | all others                | one, after each other                       |
///   | device | `enqueue`, `enqueue_rows` | one; beside `compute` if the frame is split |
struct _GstTandemFrame {
  /// The function of the class that the host is in: which memory it may see.
  enum class Inside { fits, prepare, compute, combine, join, results };

  std::shared_ptr<const GstTandemWork> work;
  const GstVideoFrame* video = nullptr;
  /// Luma of the previous frame before the stages changed it, of the same size, for a stage with
  /// needs_previous; no data: this is the first frame.
  tandem::Plane<const uint8_t> previous;
  std::array<tandem::SlotTensor, tandem::kMaxTensors> inputs, outputs;
  /// Set when the CPU computes.
  std::array<void*, tandem::kMaxTensors> host_inputs{}, host_outputs{};
  /// Rows that earlier bands have uploaded to each output.
  std::array<int, tandem::kMaxTensors> uploaded{};
  /// Once it is set, the CPU side of the frame is no longer needed. May be null.
  const std::atomic<bool>* stop = nullptr;

  std::array<tandem::MemoryRef, tandem::kMaxTensors> memories;  ///< of the outputs
  /// Copies of inputs that were not on the device.
  std::array<tandem::MemoryRef, tandem::kMaxTensors> local_inputs;
  /// The stage that made an input, and which of its outputs that is; none: it came with the buffer.
  struct Maker {
    int stage = -1, output = 0;
  };
  std::array<Maker, tandem::kMaxTensors> makers;
  tandem::SplitRows split;  ///< when it was split last
  bool published = false;
  int leads = 1;  ///< so many stages from this one on are computed in one pass
  /// The outputs that the frame is to have as GstTensorMeta; null: none.
  std::shared_ptr<const tandem::TensorChoice> choice;
  std::string notice;  ///< to be posted once no lock of the executor is held

  void forget_outputs();

  /// Calls a function of the class on the host, if the class has it. Throws the error that it
  /// reported.
  template <typename Result, typename... Parameters, typename... Arguments>
  Result call(Result (*GstTandemStageClass::*function)(GstTandemStage*, GstTandemFrame*,
                                                       Parameters...),
              Inside now, Arguments... arguments) {
    const auto here = work->klass()->*function;
    if (!here) return Result();
    host.inside = now;
    host.problem.forget();
    if constexpr (std::is_void_v<Result>) {
      here(work->stage, this, arguments...);
      host.problem.rethrow();
    } else {
      const Result result = here(work->stage, this, arguments...);
      host.problem.rethrow();
      return result;
    }
  }
  /// Whether the work can be used for the frame, whose tensors have the right specs. Cheap: called
  /// for every frame.
  bool fits() {
    return !work->klass()->fits || call(&GstTandemStageClass::fits, Inside::fits) != FALSE;
  }
  /// Before compute(), on one thread.
  void begin_compute() { host.inside = Inside::compute; }
  /// For disjoint bands, from many threads.
  void compute(tandem::Rows rows) {
    work->klass()->compute(work->stage, this, rows.begin, rows.end);
  }

  /// Enqueues all rows. Throws opencl::Error, as those below do.
  void enqueue(tandem::opencl::Queue& queue);
  /// Enqueues the rows before `end` of a split frame.
  void enqueue_first(tandem::opencl::Queue& queue, int end);
  /// Enqueues rows of a frame that the device computes in bands, after those before them.
  void enqueue_band(tandem::opencl::Queue& queue, tandem::Rows rows);
  /// Enqueues the download of an output as far as these rows make it: of one without rows, with the
  /// last ones.
  void download_rows(tandem::opencl::Queue& queue, int output, tandem::Rows rows) const;

  struct HostCall {
    Inside inside = Inside::fits;
    tandem::Problem problem;  ///< not of compute, which leaves it to combine
    bool computes() const { return inside == Inside::compute || inside == Inside::combine; }
  } host;
  struct DeviceCall {
    std::atomic<std::thread::id> thread{};  ///< other threads compare it with theirs
    tandem::opencl::Queue* queue = nullptr;
    bool whole = false;  ///< all rows at once, on one device alone
    tandem::Rows band;   ///< of a frame that is enqueued band by band; else none
    tandem::Problem problem;
    bool in_bands() const { return band.count() > 0; }
    void begin(tandem::opencl::Queue& on, bool all_rows, tandem::Rows rows);
    void end();
  } device;
  /// Whether this thread is in `enqueue` or `enqueue_rows`.
  bool enqueues() const {
    const std::thread::id thread = device.thread.load(std::memory_order_relaxed);
    return thread != std::thread::id() && thread == std::this_thread::get_id();
  }

 private:
  template <typename Call>
  void enqueue_by(tandem::opencl::Queue& queue, bool whole, tandem::Rows band, Call&& call);
};
