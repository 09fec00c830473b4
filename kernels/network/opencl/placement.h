// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/network/memory_plan.h"
#include "kernels/network/network.h"

namespace tandem::network {

/// Elements of a value in the order of another shape: element `(i0, i1, ...)` is at
/// `offset + i0 strides[0] + i1 strides[1] + ...`
struct Strided {
  int64_t offset = 0;
  Shape sizes, strides;  ///< outermost first
};

/// The elements of a value in row-major order.
Strided row_major(const Shape& shape);
/// The elements of `shape` in the order of `output`, repeated where NumPy's rules broadcast.
Strided broadcast_to(const Shape& shape, const Shape& output);
/// The input's elements in the output's order, for a Reshape, Transpose or Slice.
std::optional<Strided> moved_elements(const Network& network, const Step& step);
/// Input `part` of a Concat within its output.
Strided concat_part(const Network& network, const Step& step, std::size_t part);
/// Where the elements of input `part` lie in the output of a Transpose or Concat, in their order.
std::optional<Strided> scattered_elements(const Network& network, const Step& step,
                                          std::size_t part);
/// Strides of an image's channels and pixels.
struct ImageStrides {
  int64_t channel = 0, pixel = 1;
};
/// The strides of `view` as an image of so many pixels a channel, if these are all it takes.
std::optional<ImageStrides> image_strides(const Strided& view, int64_t pixels);
/// Whether the elements lie side by side.
bool contiguous(const Strided& view);

/// Where a value lies.
struct Place {
  enum class In { frame, input, output, constant } in = In::frame;
  int index = 0;       ///< of the input or output; value of the constant
  int64_t offset = 0;  ///< in elements
  bool operator==(const Place&) const = default;
};

/// Places all values. A value whose elements lie side by side in another one has no memory of its
/// own. Results of Reshape and most slices lie in their input, parts of a Concat in its output.
/// Outputs of the network lie in the caller's memory.
class Placement {
 public:
  explicit Placement(const Network& network);

  Place of(int value) const;
  /// Where the elements `view` of a value begin.
  Place of(int value, const Strided& view) const;
  /// Strides of an image that its convolution writes into the output of the Transpose or Concat
  /// that reads it, which then has nothing to do for it.
  std::optional<ImageStrides> scattered(int value) const;
  /// Outputs that no step writes: a value and the number of the output to copy it to.
  const std::vector<std::pair<int, int>>& copies() const { return copies_; }
  std::size_t memory_bytes() const { return plan_.bytes; }
  std::size_t largest_live_set() const { return largest_; }

 private:
  struct Within {
    int value;
    int64_t offset;
  };
  Within resolve(int value) const;
  void assign_outputs();
  bool movable(int value, int into) const;
  void place(const Step& step);
  void count_uses();
  bool scatter(int value, const Strided& view);
  void plan();

  const Network& network_;
  std::vector<Within> within_;             // itself: it has memory of its own
  std::vector<int> input_of_, output_of_;  // negative: none
  std::vector<std::pair<int, int>> copies_;
  std::vector<int> buffer_of_;
  std::vector<int> uses_;             // by steps and as outputs
  std::vector<bool> of_convolution_;  // written by one
  std::vector<std::optional<ImageStrides>> scattered_;
  MemoryPlan plan_;
  std::size_t largest_ = 0;
};

}  // namespace tandem::network
