// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>

#include "kernels/network_input/transform.h"
#include "kernels/opencl/kernel.h"
#include "kernels/plane.h"

/// Makes a network's input of a frame: channels x height x width floats.
///
/// The frame's planes are resampled as by resize.h, without rounding, into the part of the input
/// that a Placement gives it. The video's matrix (ITU-R BT.601 or BT.709) turns luma and chroma
/// into the channels' levels. These are clamped to [0, 255]. The input is (level - mean) /
/// deviation; around the frame's part the level is ModelInfo::padding. Chroma samples are taken as
/// centred.
/// Every row of the input depends on the frame alone, so bands need no halo and no order.
namespace tandem::network {

/// An 8-bit frame of luma and chroma.
struct YuvFrame {
  Plane<const uint8_t> luma;
  Plane<const uint8_t> u, v;  ///< sizes in samples, strides in bytes; no data: grey
  int chroma_step = 1;        ///< bytes from one sample to the next; 2: U and V by turns
};

/// Computes the rows `rows` of each channel of `input`. Safe from many threads on disjoint rows.
/// Allocates nothing once a thread has seen the size.
void network_input_ref(const YuvFrame& frame, const InputTransform& transform, float* input,
                       Rows rows);
void network_input_simd(const YuvFrame& frame, const InputTransform& transform, float* input,
                        Rows rows);

/// The same on the device. Agrees to 1e-3 levels. Thread-safe.
class NetworkInputOpenCL {
 public:
  NetworkInputOpenCL(opencl::Context& context, const InputTransform& transform);

  /// Chroma as in YuvFrame; not read where the transform uses none.
  struct Frame {
    opencl::DevicePlane luma, u, v;
    int chroma_step = 1;
  };
  void enqueue(opencl::Queue& queue, const Frame& frame, const opencl::DeviceSpan& input,
               Rows rows) const;

 private:
  const Placement placement_;
  const std::array<int, 4> taps_;  // across, down, and those of chroma
  const opencl::ConstantData firsts_, weights_, maps_;
  const opencl::Kernel kernel_;
  const std::size_t group_;
};

}  // namespace tandem::network
