// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <vector>

#include "kernels/network/cpu/plan.h"
#include "kernels/network/network_cpu.h"

namespace tandem::network::cpu {

/// Which tensors have the values of a network, while its steps become nodes one by one.
class Values {
 public:
  Values(const Network& network, Plan& plan, const Sharing& sharing);

  /// The step whose nodes are being made.
  int step = 0;

  const Network& network() const { return network_; }
  Plan& plan() { return plan_; }
  const Sharing& sharing() const { return sharing_; }
  const Shape& shape(int value) const { return network_.of(value).shape; }
  bool is_constant(int value) const { return !network_.of(value).constant.empty(); }
  const Layout& layout(int tensor) const;

  /// The tensor that the value's step wrote.
  int written(int value) const;
  /// The value in `layout`, which is made if it is not there. `seen_as`: plain elements of the
  /// value under other sides, such as those of groups.
  int in(int value, const Layout& layout, const Layout* seen_as = nullptr);
  int in_plain(int value) { return in(value, plain(shape(value))); }
  /// A row of a constant and zeros, together `elements`.
  int filled_up(int value, int64_t elements);
  /// A tensor for the step's output: the caller's memory where `layout` is what the caller gets.
  int room(int value, const Layout& layout);
  /// Notes that `tensor` has the step's output. `activation` is applied in place.
  void put(int value, int tensor, const Activation& activation = {});
  /// Notes that the step's output has the elements of `tensor`, which other values have too.
  void put_view(const Step& of, int tensor);
  /// Copies one tensor to another of the same sides.
  void copy(int from, int to);

  /// Whether nothing reads the memory of `tensor` after this step.
  bool dies(int tensor) const;
  /// Whether `tensor` fills memory of the frame, which may therefore be moved into another.
  bool movable(int tensor) const;
  /// A tensor whose elements are those of `outer` from `offset` bytes on.
  int inside(int outer, const Layout& layout, std::size_t offset);

  /// Copies outputs that no step wrote into the caller's memory.
  void finish();

 private:
  struct Held {
    std::vector<int> tensors;  ///< the first is the one written
    int last_step = -1;        ///< that reads it
    std::optional<std::size_t> output;
  };
  Held& held(int value) { return held_[static_cast<std::size_t>(value)]; }
  void activate(const Activation& activation, int from, int to);
  bool is_output(int tensor, std::size_t output) const;
  int constant(int value, const Layout& from, const Layout& to);

  const Network& network_;
  Plan& plan_;
  const Sharing sharing_;
  std::vector<Held> held_;
};

/// Makes the nodes of a step, whose number is values.step.
void lower(Values& values, const Step& step);

/// The same for each operation.
void lower(Values& values, const Step& step, const Convolution& convolution);
void lower(Values& values, const Step& step, const Pool& pool);
void lower(Values& values, const Step& step, const Resize& resize);
void lower(Values& values, const Step& step, const Binary& binary);
void lower(Values& values, const Step& step, const Unary& unary);
void lower(Values& values, const Step& step, const Softmax& softmax);
void lower(Values& values, const Step& step, const MatMul& matmul);
void lower(Values& values, const Step& step, const Concat& concat);
void lower(Values& values, const Step& step, const Transpose& transpose);
void lower(Values& values, const Step& step, const Slice& slice);
void lower(Values& values, const Step& step, const Reshape& reshape);
/// The step by step_ref(), for what neither oneDNN nor a loop of ours computes.
void lower_to_reference(Values& values, const Step& step);

}  // namespace tandem::network::cpu
