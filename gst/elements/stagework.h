// SPDX-License-Identifier: LGPL-2.1-or-later
// A stage's work in C++, behind the functions of GstTandemStageClass. Nothing here is of the
// library: it works with the functions of <gst/tandem/tandem.h>.
#pragma once

#include <gst/tandem/private/stagedescription.h>
#include <gst/tandem/private/tensorspec.h>
#include <gst/tandem/stage.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"
#include "kernels/util/stop.h"

namespace tandem {

/// One frame at one stage, valid inside the function that received it. Functions throw when the
/// device failed.
class StageFrame {
 public:
  explicit StageFrame(GstTandemFrame* frame)
      : video(gst_tandem_frame_get_video(frame)), frame_(frame) {}

  const GstVideoFrame* const video;

  /// The first plane of the frame: luma of the 8-bit planar formats.
  Plane<uint8_t> luma() const;
  /// Luma of the previous frame before the stages changed it, of the same size, for a stage with
  /// needs_previous; no data: this is the first frame.
  Plane<const uint8_t> previous() const;
  /// Whether the CPU's result for the frame is no longer needed.
  Stop stop() const;

  /// Elements of tensors on the host, in all functions but enqueue().
  template <typename T>
  const T* input(int i) const {
    return static_cast<const T*>(gst_tandem_frame_get_input(frame_, static_cast<guint>(i)));
  }
  template <typename T>
  T* output(int i) const {
    return static_cast<T*>(gst_tandem_frame_get_output(frame_, static_cast<guint>(i)));
  }
  /// Input `i` where a device may have made it: in fits().
  template <typename T>
  const T* value(int i) const {
    return static_cast<const T*>(checked(input<void>(i)));
  }
  /// Output `i` where the device may have made it: in collect(), join() and publish().
  template <typename T>
  const T* result(int i) const {
    return static_cast<const T*>(checked(output<void>(i)));
  }
  /// A reference keeps the elements. In publish().
  GstMemory* memory(int i) const {
    return gst_tandem_frame_get_output_memory(frame_, static_cast<guint>(i));
  }

  /// The device side of a tensor (a cl_mem), brought up to date; in enqueue(). Get the inputs
  /// first: an output may be one of them.
  void* device_input(int i) const {
    return checked(gst_tandem_frame_get_device_input(frame_, static_cast<guint>(i)));
  }
  void* device_output(int i) const {
    return checked(gst_tandem_frame_get_device_output(frame_, static_cast<guint>(i)));
  }
  /// The device side of a memory that memory() returned, for this frame or an earlier one, brought
  /// up to date.
  void* device_memory(GstMemory* memory) const {
    return checked(gst_tandem_frame_get_device_memory(frame_, memory));
  }
  /// Enqueues the upload of 8-bit pixels, such as luma(), to the scratch output `i` of as many:
  /// there its rows lie packed. The pixels must not change until the queue has finished. Only the
  /// rows before `end`: the others are undefined.
  opencl::DevicePlane upload(Plane<const uint8_t> pixels, int i, int end) const;
  opencl::DevicePlane upload(Plane<const uint8_t> pixels, int i) const {
    return upload(pixels, i, pixels.height);
  }
  /// Enqueues the download of an output, for collect() and publish().
  void download(int i) const;
  /// The same of packed rows that are the frame's new luma, for take_luma().
  void download_luma(int i) const;
  /// Copies them into the frame; in collect().
  void take_luma(int i) const;

 private:
  template <typename T>
  static T* checked(T* memory) {
    if (!memory) fail();
    return memory;
  }
  [[noreturn]] static void fail();

  GstTandemFrame* const frame_;
};

/// A tensor that work is made for.
class Tensor {
 public:
  Tensor(GstTandemWork* work, guint input, TensorName name);

  TensorSpec spec;
  /// The elements of the first frame; throws when the device failed.
  const void* values() const;

 private:
  GstTandemWork* const work_;
  const guint input_;
};

/// The frames that a StageWork is made for.
struct WorkRequest {
  const GstVideoInfo& video;
  std::span<const Tensor> inputs;            ///< of the first frame; later ones have the same specs
  std::shared_ptr<opencl::Context> context;  ///< null: CPU only
};

/// The work of one stage for frames of one size and tensors of one shape, with the properties that
/// it was made with. Immutable: several threads work with it at the same time.
class StageWork {
 public:
  virtual ~StageWork() = default;

  /// The tensors that the stage writes, fixed for the life of the work.
  const std::vector<TensorSpec>& outputs() const { return outputs_; }

  /// A warning for the user, posted when the work is made; mostly empty.
  const std::string& notice() const { return notice_; }

  /// Whether it can be used for inputs whose specs are right; looks at values where shapes depend
  /// on them. Cheap: called for every frame.
  virtual bool fits(StageFrame&) const { return true; }

  /// Host values that go with the outputs, before anything is computed on either side.
  virtual void prepare(StageFrame&) const {}

  /// The CPU side: `compute` for disjoint bands, from many threads, then `combine`, once.
  virtual int rows() const = 0;
  virtual void compute(StageFrame& frame, Rows rows) const = 0;
  virtual void combine(StageFrame&) const {}

  /// The device side: enqueues all of it. Several threads at a time, each with a queue of its own.
  /// Throws opencl::Error.
  virtual void enqueue(StageFrame&, opencl::Queue&) const {}
  /// After all enqueued commands are done: writes results into the frame's pixels. They do not
  /// change before, for the CPU in case the device fails.
  virtual void collect(StageFrame&) const {}

  /// Attaches results other than tensors to the buffer, which is writable, after either side.
  virtual void publish(StageFrame&, GstBuffer*) const {}

 protected:
  std::vector<TensorSpec> outputs_;
  std::string notice_;
};

/// The functions of a class whose work is a StageWork.
namespace stage_functions {

void describe(const StageDescription& from, GstTandemDescription* description);
/// Makes the work with `make`, which may throw: with opencl::Error if the CPU can compute instead.
gboolean make_work(const StageDescription& description, GstTandemWork* work, GError** error,
                   const std::function<std::unique_ptr<StageWork>(const WorkRequest&)>& make);
void compute(GstTandemStage*, GstTandemFrame*, gint first_row, gint end_row);
gboolean enqueue(GstTandemStage*, GstTandemFrame*, gpointer, GError** error);
/// Enqueuing failed: sets the error where the device is the reason, or else fails the frame.
/// Returns FALSE.
gboolean enqueue_failed(GstTandemFrame* frame, GError** error, const std::exception& why);

/// The work that a frame is computed with.
inline const StageWork& work_of(const GstTandemFrame* frame) {
  return *static_cast<const StageWork*>(gst_tandem_frame_get_data(frame));
}
/// The frame cannot be computed, for this reason.
void fail(GstTandemFrame* frame, const std::exception& why);

/// A function of the class that calls a method of the work. Exceptions do not leave it: they fail
/// the frame. Parameters in C become those of the method, as two numbers become Rows.
template <auto kMethod>
struct Calls;
template <class Base, typename Made, typename... Arguments,
          Made (Base::*kMethod)(StageFrame&, Arguments...) const>
struct Calls<kMethod> {
  template <typename Result, typename... Parameters>
  static Result function(GstTandemStage*, GstTandemFrame* frame, Parameters... parameters) {
    try {
      StageFrame here(frame);
      const auto& work = static_cast<const Base&>(work_of(frame));
      return static_cast<Result>(
          (work.*kMethod)(here, std::remove_cvref_t<Arguments>{parameters...}...));
    } catch (const std::exception& e) {
      fail(frame, e);
    }
    return Result();
  }
};

/// Whether `kOwn`, the method of a work, is another one than that of its base.
template <auto kMethod, auto kOwn>
inline constexpr bool kOverrides = !std::is_same_v<decltype(kMethod), decltype(kOwn)>;

/// Lets a function of the class call a method, if the work overrides it: others cost a frame
/// nothing.
template <auto kMethod, auto kOwn, typename Result, typename... Parameters>
void bind(Result (*&function)(GstTandemStage*, GstTandemFrame*, Parameters...)) {
  if constexpr (kOverrides<kMethod, kOwn>)
    function = Calls<kMethod>::template function<Result, Parameters...>;
}

/// Binds the functions of a class to the methods of its work.
template <class Work>
void set(GstTandemStageClass* klass) {
  static_assert(std::is_final_v<Work>, "a class derived from it may override more");
  klass->compute = compute;
  if (kOverrides<&StageWork::enqueue, &Work::enqueue>) klass->enqueue = enqueue;
  bind<&StageWork::fits, &Work::fits>(klass->fits);
  bind<&StageWork::prepare, &Work::prepare>(klass->prepare);
  bind<&StageWork::combine, &Work::combine>(klass->combine);
  bind<&StageWork::collect, &Work::collect>(klass->collect);
  bind<&StageWork::publish, &Work::publish>(klass->publish);
}

}  // namespace stage_functions

}  // namespace tandem
