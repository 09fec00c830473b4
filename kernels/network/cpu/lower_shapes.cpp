// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <optional>

#include "kernels/network/cpu/loops.h"
#include "kernels/network/cpu/values.h"

namespace tandem::network::cpu {
namespace {

int64_t product(const Shape& shape, std::size_t first, std::size_t last) {
  int64_t product = 1;
  for (std::size_t side = first; side < last; ++side) product *= shape[side];
  return product;
}

/// Elements before index `begin` of `axis`, where those from there on are in one piece: nothing
/// when they are in several.
std::optional<int64_t> begin_of_piece(const Shape& shape, std::size_t axis, int64_t begin,
                                      bool in_blocks) {
  if (product(shape, 0, axis) != 1) return {};
  if (in_blocks && (axis != 1 || begin % channels_of_block() != 0)) return {};
  return begin * product(shape, axis + 1, shape.size());
}

bool has_blocks(const Values& values, int value) {
  const Shape& shape = values.shape(value);
  return shape.size() == 4 && values.layout(values.written(value)) == blocked(shape);
}

Layout layout_of(const Shape& shape, bool in_blocks) {
  return in_blocks ? blocked(shape) : plain(shape);
}

/// Whether the parts of a concatenation stay in blocks of channels.
bool concatenates_blocks(const Values& values, const Step& step, std::size_t axis) {
  if (std::none_of(step.inputs.begin(), step.inputs.end(),
                   [&](int input) { return has_blocks(values, input); }))
    return false;
  int64_t begin = 0;
  for (const int input : step.inputs) {
    if (!begin_of_piece(values.shape(step.output), axis, begin, true)) return false;
    begin += values.shape(input)[axis];
  }
  return true;
}

}  // namespace

void lower(Values& values, const Step& step, const Concat& concat) {
  const auto axis = static_cast<std::size_t>(concat.axis);
  const Shape& out = values.shape(step.output);
  const bool in_blocks = concatenates_blocks(values, step, axis);
  const int output = values.room(step.output, layout_of(out, in_blocks));
  const auto inner = static_cast<std::size_t>(product(out, axis + 1, out.size()));
  int64_t begin = 0;
  for (const int input : step.inputs) {
    const Shape& shape = values.shape(input);
    const int part = values.in(input, layout_of(shape, in_blocks));
    const auto first = begin_of_piece(out, axis, begin, in_blocks);
    // The activation would change a part that others may read.
    if (first && values.movable(part) && step.activation.kind == Activation::Kind::none) {
      values.plan().place(values.plan().root(part), output,
                          static_cast<std::size_t>(*first) * sizeof(float));
    } else if (first) {
      const std::size_t count = values.plan().bytes(part) / sizeof(float);
      values.plan().run(values.step, pieces_loop(1, count, 0, 0, static_cast<std::size_t>(*first)),
                        {part, output});
    } else {
      const std::size_t count = static_cast<std::size_t>(shape[axis]) * inner;
      values.plan().run(values.step,
                        pieces_loop(static_cast<std::size_t>(product(out, 0, axis)), count, count,
                                    static_cast<std::size_t>(out[axis]) * inner,
                                    static_cast<std::size_t>(begin) * inner),
                        {part, output});
    }
    begin += shape[axis];
  }
  values.put(step.output, output, step.activation);
}

void lower(Values& values, const Step& step, const Slice& slice) {
  const Shape& in = values.shape(step.inputs[0]);
  const Shape& out = values.shape(step.output);
  std::vector<std::size_t> axes;  // along which elements are left out or turned round
  for (std::size_t side = 0; side < in.size(); ++side)
    if (in[side] != out[side] || slice.step[side] < 0) axes.push_back(side);
  const bool in_blocks = has_blocks(values, step.inputs[0]);
  if (axes.empty()) return values.put_view(step, values.written(step.inputs[0]));
  const std::size_t axis = axes.front();
  const int64_t begin = slice.begin[axis];
  if (axes.size() == 1 && slice.step[axis] == 1) {
    const auto first = begin_of_piece(in, axis, begin, in_blocks);
    // A part of a block has other channels where zeros have to be.
    const bool whole =
        !in_blocks || out[axis] % channels_of_block() == 0 || begin + out[axis] == in[axis];
    if (first && whole)
      return values.put_view(step,
                             values.inside(values.in(step.inputs[0], layout_of(in, in_blocks)),
                                           layout_of(out, in_blocks),
                                           static_cast<std::size_t>(*first) * sizeof(float)));
  }
  const int from = values.in_plain(step.inputs[0]);
  const int output = values.room(step.output, plain(out));
  values.plan().run(values.step, slice_loop(slice, in, out), {from, output});
  values.put(step.output, output, step.activation);
}

void lower(Values& values, const Step& step, const Transpose& transpose) {
  std::vector<int> to(transpose.order.size());
  for (std::size_t side = 0; side < to.size(); ++side)
    to[static_cast<std::size_t>(transpose.order[side])] = static_cast<int>(side);
  const int from = values.written(step.inputs[0]);
  const Layout turned = to.empty() ? values.layout(from) : values.layout(from).permute_axes(to);
  const int output = values.room(step.output, plain(values.shape(step.output)));
  values.copy(values.inside(from, turned, 0), output);
  values.put(step.output, output, step.activation);
}

void lower(Values& values, const Step& step, const Reshape&) {
  values.put_view(
      step, values.inside(values.in_plain(step.inputs[0]), plain(values.shape(step.output)), 0));
}

}  // namespace tandem::network::cpu
