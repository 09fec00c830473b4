// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "kernels/network/cpu/loops.h"
#include "kernels/network/cpu/values.h"

namespace tandem::network::cpu {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;

std::optional<algorithm> algorithm_of(Binary::Kind kind) {
  switch (kind) {
    case Binary::Kind::add:
      return algorithm::binary_add;
    case Binary::Kind::subtract:
      return algorithm::binary_sub;
    case Binary::Kind::multiply:
      return algorithm::binary_mul;
    case Binary::Kind::divide:
      return algorithm::binary_div;
    case Binary::Kind::maximum:
      return algorithm::binary_max;
    case Binary::Kind::minimum:
      return algorithm::binary_min;
    case Binary::Kind::power:
      return {};
  }
  return {};
}

bool commutes(Binary::Kind kind) {
  return kind != Binary::Kind::subtract && kind != Binary::Kind::divide &&
         kind != Binary::Kind::power;
}

/// `shape` with leading sides of 1.
Shape with_sides(const Shape& shape, std::size_t sides) {
  Shape padded(std::max(sides, shape.size()) - shape.size(), 1);
  padded.insert(padded.end(), shape.begin(), shape.end());
  return padded;
}

/// oneDNN broadcasts its second operand to the first. In blocks it does so by channels.
bool by_onednn(Values& values, const Step& step, algorithm kind, int left, int right) {
  const Shape& out = values.shape(step.output);
  if (values.shape(left) != out || values.is_constant(left)) return false;
  const Shape second = with_sides(values.shape(right), out.size());
  const bool full = second == out;
  const bool channels = out.size() == 4 && second == Shape{1, out[1], 1, 1};
  Layout layout = values.layout(values.written(left));
  const bool in_blocks = out.size() == 4 && layout == blocked(out) && (full || channels);
  if (!in_blocks) layout = plain(out);
  const Layout other = in_blocks ? blocked(second) : plain(second);
  std::optional<dnnl::binary::primitive_desc> description;
  try {
    description = described<dnnl::binary>(attributes_with(), kind, layout, other, layout);
  } catch (const dnnl::error&) {
    return false;
  }
  if (is_reference(description->impl_info_str())) return false;
  const int a = values.in(left, layout);
  const Layout seen = plain(second);
  const int b = values.in(right, other, &seen);
  const int output = values.room(step.output, layout);
  values.plan().run(values.step, *description, dnnl::binary(*description),
                    {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, output}});
  values.put(step.output, output, step.activation);
  return true;
}

}  // namespace

void lower(Values& values, const Step& step, const Binary& binary) {
  const int left = step.inputs[0], right = step.inputs[1];
  if (const auto kind = algorithm_of(binary.kind)) {
    if (by_onednn(values, step, *kind, left, right)) return;
    if (commutes(binary.kind) && by_onednn(values, step, *kind, right, left)) return;
  }
  const int a = values.in_plain(left), b = values.in_plain(right);
  const Shape& out = values.shape(step.output);
  const int output = values.room(step.output, plain(out));
  values.plan().run(values.step,
                    binary_loop(binary.kind, values.shape(left), values.shape(right), out),
                    {a, b, output});
  values.put(step.output, output, step.activation);
}

void lower(Values& values, const Step& step, const Unary&) {
  values.put_view(step, values.written(step.inputs[0]));
}

void lower(Values& values, const Step& step, const Softmax& softmax) {
  const Layout layout = plain(values.shape(step.output));
  const auto description =
      described<SoftmaxPrimitive>(attributes_with(), prop_kind::forward_inference,
                                  algorithm::softmax_accurate, layout, layout, softmax.axis);
  const int from = values.in(step.inputs[0], layout);
  const int output = values.room(step.output, layout);
  values.plan().run(values.step, description, SoftmaxPrimitive(description),
                    {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, output}});
  values.put(step.output, output, step.activation);
}

namespace {

/// A matrix of the file as oneDNN multiplies it.
Layout matrix(const Shape& shape, std::size_t sides, bool transposed) {
  const Layout rows = plain(with_sides(shape, sides));
  if (!transposed) return rows;
  std::vector<int> order(sides);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[sides - 1], order[sides - 2]);
  return rows.permute_axes(order);
}

}  // namespace

void lower(Values& values, const Step& step, const MatMul& matmul) {
  const Shape& out = values.shape(step.output);
  const int left = step.inputs[0], right = step.inputs[1];
  const int bias = step.inputs.size() > 2 ? step.inputs[2] : kAbsent;
  Shape sides = with_sides(values.shape(right), out.size());
  if (matmul.transpose_b) std::swap(sides[out.size() - 1], sides[out.size() - 2]);
  const Layout a = matrix(values.shape(left), out.size(), matmul.transpose_a);
  const Layout b = matrix(values.shape(right), out.size(), matmul.transpose_b);
  Shape row(out.size(), 1);
  row.back() = out.back();
  // oneDNN adds one row; other biases take a loop.
  const bool adds_row = bias != kAbsent && with_sides(values.shape(bias), out.size()) == row;
  dnnl::post_ops after;
  if (bias == kAbsent || adds_row) append(after, step.activation);
  const auto description = described<dnnl::matmul>(
      attributes_with(after), a, values.is_constant(right) ? any_layout(sides) : b,
      adds_row ? plain(row) : Layout(), plain(out));
  const int output = values.room(step.output, plain(out));
  const int left_matrix = values.inside(values.in_plain(left), a, 0);
  std::vector<std::pair<int, int>> operands{
      {DNNL_ARG_SRC, left_matrix},
      {DNNL_ARG_WEIGHTS, values.in(right, description.weights_desc(), &b)},
      {DNNL_ARG_DST, output}};
  const Layout row_layout = plain(row);
  if (adds_row) operands.emplace_back(DNNL_ARG_BIAS, values.in(bias, row_layout, &row_layout));
  values.plan().run(values.step, description, dnnl::matmul(description), std::move(operands));
  if (bias == kAbsent || adds_row) return values.put(step.output, output);
  values.plan().run(values.step, binary_loop(Binary::Kind::add, out, values.shape(bias), out),
                    {output, values.in_plain(bias), output});
  values.put(step.output, output, step.activation);
}

}  // namespace tandem::network::cpu
