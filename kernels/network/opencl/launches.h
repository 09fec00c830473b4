// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "kernels/network/network.h"
#include "kernels/network/opencl/device_arguments.h"
#include "kernels/network/opencl/placement.h"
#include "kernels/opencl/kernel.h"

namespace tandem::network {

/// A kernel and how it is built.
struct KernelForm {
  std::string name;
  const char* source = nullptr;
  std::string options;
  std::size_t items = 1;  ///< work-items of a group
  bool operator==(const KernelForm&) const = default;
};

/// A kernel's work for one frame.
struct Launch {
  int kernel = 0;  ///< its KernelForm
  opencl::WorkSize global, local;
  int arguments = 0;  ///< where they lie among the constants, in elements
  std::array<Place, 3> inputs{};
  Place output{};
  int step = 0;  ///< of the network
};

/// A network as launches of kernels, for one kind of device.
class Launches {
 public:
  /// `slices`: most times that a convolution's group is multiplied to share a sum. Throws
  /// std::runtime_error that names the step.
  Launches(const Network& network, const opencl::DeviceDescription& device, int slices);

  const std::vector<KernelForm>& kernels() const { return kernels_; }
  const std::vector<Launch>& all() const { return launches_; }
  /// Weights and arguments, for the device. Gone afterwards.
  std::vector<float> take_constants() { return std::move(constants_); }
  const Placement& placement() const { return placement_; }

 private:
  // One for each operation.
  void add(const Step& step, const Convolution& convolution);
  void add(const Step& step, const Pool& pool);
  void add(const Step& step, const Binary& binary);
  void add(const Step& step, const Unary& unary);
  void add(const Step& step, const Concat& concat);
  void add(const Step& step, const Resize& resize);
  void add(const Step& step, const Softmax& softmax);
  void add(const Step& step, const MatMul& matmul);
  void add(const Step& step, const Transpose&) { add_moved(step); }
  void add(const Step& step, const Slice&) { add_moved(step); }
  void add(const Step& step, const Reshape&) { add_moved(step); }

  bool add_depthwise(const Step& step, const Convolution& convolution);
  void add_moved(const Step& step);
  void add_elementwise(const Step& step, int operation, const std::array<Place, 2>& inputs,
                       const std::array<Strided, 2>& views, Place output, const Strided& to);
  std::vector<float> packed_weights(const Step& step, const ConvolutionArguments& arguments,
                                    int groups, int tile, int depth) const;
  int table(const Convolution& convolution, const Shape& image, int out_width, int padded_depth);

  const Shape& shape(int value) const { return network_.of(value).shape; }
  /// Where a value lies; a constant is appended to the constants first.
  Place place(int value);
  int append(const void* data, std::size_t bytes);
  template <typename T>
  int append(const std::vector<T>& data) {
    return append(data.data(), data.size() * sizeof(T));
  }
  template <typename Arguments>
  void launch(const KernelForm& form, opencl::WorkSize global, const Arguments& arguments,
              const std::array<Place, 3>& inputs, const Place& output) {
    launch(form, global, append(&arguments, sizeof arguments), inputs, output);
  }
  void launch(const KernelForm& form, opencl::WorkSize global, int arguments,
              const std::array<Place, 3>& inputs, const Place& output);
  /// A kernel whose groups have as many work-items as most.
  KernelForm form(const char* name, const char* source) const;
  /// All kernels but a GPU's convolutions have it.
  std::string options() const;
  int run() const;  ///< elements of a row that a work-item computes
  std::size_t items() const;
  int width() const;

  const Network& network_;
  const opencl::DeviceDescription& device_;
  const int slices_;
  const Placement placement_;
  std::vector<KernelForm> kernels_;
  std::vector<Launch> launches_;
  std::vector<float> constants_;       // of any type of 4 bytes
  std::vector<int> constant_offsets_;  // of values; negative: not there
};

/// Offset as kernels have it. Throws std::runtime_error if it exceeds 31 bits.
int offset_of(const Place& place);
ActivationArguments arguments_of(const Activation& activation);

}  // namespace tandem::network
