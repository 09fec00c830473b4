// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/network/memory_plan.h"
#include "kernels/network/network.h"
#include "kernels/network/opencl/strided.h"

namespace tandem::network {

/// Where a value lies.
struct Place {
  enum class In { frame, input, output, constant } in = In::frame;
  int index = 0;       ///< of the input or output; value of the constant
  int64_t offset = 0;  ///< in elements
  bool operator==(const Place&) const = default;
};

/// Places all values. A value whose elements lie side by side in another one has no memory of its
/// own: results of Reshape and most slices lie in their input, parts of a Concat in its output.
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
