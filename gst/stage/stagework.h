// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/tensormeta.h>
#include <gst/video/video.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gst/meta/tensorname.h"
#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"

namespace tandem {

/// Most tensors that one stage reads, and most that it writes.
inline constexpr int kMaxTensors = 8;

struct TensorSpec {
  TensorName name;
  GstTandemElementType type = GST_TANDEM_ELEMENT_TYPE_UINT8;
  guint dimensions = 1;
  std::array<gsize, GST_TANDEM_TENSOR_MAX_DIMENSIONS> shape{};  ///< outermost first
  bool scratch = false;  ///< of use to nobody but the stage: never on the frame

  std::size_t elements() const;
  std::size_t bytes() const;
  bool operator==(const TensorSpec& other) const;

  /// Scratch for StageFrame::upload: 8-bit pixels, none where there is no device.
  static TensorSpec of_pixels(const char* name, int width, int height, bool device);
};

/// A tensor of one frame.
struct Tensor {
  TensorSpec spec;
  GstMemory* memory = nullptr;       ///< borrowed
  opencl::Buffer* buffer = nullptr;  ///< what the memory holds
};

/// One frame at one stage. Pointers are borrowed and valid while the stage works on the frame.
struct StageFrame {
  const GstVideoFrame* video = nullptr;
  /// Luma of the frame before as it came to the stages, of the same size, for a stage whose
  /// description needs_previous; no data: this is the first.
  Plane<const uint8_t> previous;
  std::array<Tensor, kMaxTensors> inputs, outputs;
  std::array<void*, kMaxTensors> host_inputs{}, host_outputs{};  ///< set when the CPU computes
  /// Once it is set, what the CPU computes of the frame is of no use any more. May be null.
  const std::atomic<bool>* stop = nullptr;

  /// The first plane of the frame: luma of the 8-bit planar formats.
  Plane<uint8_t> luma() const;

  /// The device side of a tensor (a cl_mem), brought up to date; throws opencl::Error. Ask for the
  /// inputs first: an output may be one of them.
  void* device_input(int i, opencl::Queue& queue) const {
    return inputs[i].buffer->device(queue, opencl::Buffer::Access::read);
  }
  void* device_output(int i, opencl::Queue& queue) const {
    return outputs[i].buffer->device(queue, opencl::Buffer::Access::write);
  }

  /// Enqueues the upload of 8-bit pixels, such as luma(), to the scratch output `i` of as many:
  /// there its rows lie packed. The pixels must stay until the queue has finished; throws
  /// opencl::Error. The rows before `end` alone: the others are undefined.
  opencl::DevicePlane upload(Plane<const uint8_t> pixels, int i, opencl::Queue& queue,
                             int end) const;
  opencl::DevicePlane upload(Plane<const uint8_t> pixels, int i, opencl::Queue& queue) const {
    return upload(pixels, i, queue, pixels.height);
  }

  template <typename T>
  const T* input(int i) const {
    return static_cast<const T*>(host_inputs[i]);
  }
  template <typename T>
  T* output(int i) const {
    return static_cast<T*>(host_outputs[i]);
  }
};

/// The properties of a stage as they were at one moment. The element's own values are behind it.
struct StageSettings {
  std::string all;   ///< the element and all of its properties: the same text, the same values
  std::string work;  ///< the same without those that leave the work as it is

  virtual ~StageSettings() = default;
  /// How often frames pass the part of the chain that ends with this stage; at least 1. Part of the
  /// settings, because a frame's way is known before there is work for it.
  virtual int rounds() const { return 1; }
};

/// What a StageWork is made for.
struct WorkRequest {
  const GstVideoInfo& video;
  std::span<const Tensor> inputs;            ///< of the first frame; later ones have the same specs
  std::shared_ptr<opencl::Context> context;  ///< null: CPU only
};

/// What one stage computes for frames of one size and tensors of one shape, with the properties
/// that it was made with. Immutable: several threads work with it at the same time.
class StageWork {
 public:
  virtual ~StageWork() = default;

  /// What the stage writes, fixed for the life of the work.
  const std::vector<TensorSpec>& outputs() const { return outputs_; }

  /// What the user should know about it, posted as a warning when it is made; mostly empty.
  const std::string& notice() const { return notice_; }

  /// Whether it can be used for inputs whose specs are right; looks at values where shapes depend
  /// on them. Cheap: asked for every frame.
  virtual bool fits(const WorkRequest&) const { return true; }

  /// Host values that go with the outputs, before anything is computed on either side.
  virtual void prepare(StageFrame&) const {}

  /// The CPU side: `compute` for disjoint bands, from many threads, then `combine`, once.
  virtual int rows() const = 0;
  virtual void compute(StageFrame& frame, Rows rows) const = 0;
  virtual void combine(StageFrame&) const {}

  /// The device side: enqueues all of it. Several threads at a time, each with a queue of its own.
  /// Throws opencl::Error.
  virtual void enqueue(StageFrame&, opencl::Queue&) const {}
  /// Once all that was enqueued is done: takes from host memory what goes into the frame's pixels.
  /// Until then they are what they were, for the CPU when the device fails.
  virtual void collect(StageFrame&) const {}

  /// Puts results that are not tensors on the buffer (which is writable), after either side.
  virtual void publish(StageFrame&, GstBuffer*) const {}

 protected:
  std::vector<TensorSpec> outputs_;
  std::string notice_;
};

}  // namespace tandem
