// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/network/matmul_cl.h"
#include "kernels/network/opencl/launches.h"
#include "kernels/network/pool_cl.h"
#include "kernels/network/resample_cl.h"
#include "kernels/network/softmax_cl.h"

namespace tandem::network {
namespace {

/// Elements of a window or row from which on a GPU's group shares it.
constexpr int kSharedElements = 64;

struct Sides {
  int channels, height, width;
  explicit Sides(const Shape& shape)
      : channels(static_cast<int>(shape[1])),
        height(static_cast<int>(shape[2])),
        width(static_cast<int>(shape[3])) {}
};

/// Samples of one axis, as resize_position() and resize_nearest() choose them.
std::vector<AxisEntry> axis_entries(const Resize& resize, int axis, int in, int out) {
  std::vector<AxisEntry> entries;
  for (int i = 0; i < out; ++i) {
    const float position = resize_position(resize, axis, i, in, out);
    if (resize.mode == Resize::Mode::nearest) {
      const int nearest = resize_nearest(resize, position, in);
      entries.push_back({nearest, nearest, 0});
      continue;
    }
    const float inside = std::clamp(position, 0.0f, static_cast<float>(in - 1));
    const int first = static_cast<int>(inside);
    entries.push_back({first, std::min(first + 1, in - 1), inside - static_cast<float>(first)});
  }
  return entries;
}

/// Strides of the two last sides of a matrix.
struct MatrixStrides {
  int row, column;
  MatrixStrides(const Shape& shape, bool transposed) {
    const int width = static_cast<int>(shape.back());
    row = transposed ? 1 : width;
    column = transposed ? width : 1;
  }
};

/// The offset of each matrix of `view`, whose two last sides are those of a matrix.
std::vector<int> matrix_offsets(const Strided& view) {
  std::vector<int> offsets{0};
  for (std::size_t side = 0; side + 2 < view.sizes.size(); ++side) {
    std::vector<int> more;
    for (const int offset : offsets)
      for (int64_t i = 0; i < view.sizes[side]; ++i)
        more.push_back(offset + static_cast<int>(i * view.strides[side]));
    offsets = std::move(more);
  }
  return offsets;
}

}  // namespace

void Launches::add(const Step& step, const Pool& pool) {
  const Sides in(shape(step.inputs[0])), out(shape(step.output));
  const Place input = place(step.inputs[0]), output = place(step.output);
  const Window& w = pool.window;
  PoolArguments a{};
  a.activation = arguments_of(step.activation);
  a.input = offset_of(input);
  a.output = offset_of(output);
  a.input_end = a.input + static_cast<int>(elements(shape(step.inputs[0])));
  a.average = pool.kind == Pool::Kind::average;
  a.counts_padding = pool.counts_padding;
  a.in_height = in.height;
  a.in_width = in.width;
  a.out_height = out.height;
  a.out_width = out.width;
  a.rows = out.channels * out.height;
  a.kernel_y = w.kernel[0];
  a.kernel_x = w.kernel[1];
  a.stride_y = w.stride[0];
  a.stride_x = w.stride[1];
  a.dilation_y = w.dilation[0];
  a.dilation_x = w.dilation[1];
  a.before_y = w.before[0];
  a.before_x = w.before[1];
  a.after_y = w.after[0];
  a.after_x = w.after[1];
  const bool shared = !device_.is_cpu && a.kernel_y * a.kernel_x >= kSharedElements;
  a.lanes = shared ? static_cast<int>(items()) : 1;
  launch(form("pool", pool_cl),
         static_cast<std::size_t>(a.rows) * opencl::pieces(out.width, width()) *
             static_cast<std::size_t>(a.lanes),
         a, {input, input, input}, output);
}

void Launches::add(const Step& step, const Resize& resize) {
  const Sides in(shape(step.inputs[0])), out(shape(step.output));
  const Place input = place(step.inputs[0]), output = place(step.output);
  ResizeArguments a{};
  a.activation = arguments_of(step.activation);
  a.input = offset_of(input);
  a.output = offset_of(output);
  a.in_height = in.height;
  a.in_width = in.width;
  a.out_height = out.height;
  a.out_width = out.width;
  a.channels = out.channels;
  a.rows = append(axis_entries(resize, 0, in.height, out.height));
  a.columns = append(axis_entries(resize, 1, in.width, out.width));
  const auto rows = static_cast<std::size_t>(out.channels * out.height);
  launch(form("resample", resample_cl), opencl::pieces(out.width, run()) * rows, a,
         {input, input, input}, output);
}

void Launches::add(const Step& step, const Softmax& softmax) {
  const Shape& sides = shape(step.output);
  const auto axis = static_cast<std::size_t>(softmax.axis);
  const Place input = place(step.inputs[0]), output = place(step.output);
  SoftmaxArguments a{};
  a.activation = arguments_of(step.activation);
  a.input = offset_of(input);
  a.output = offset_of(output);
  a.along = static_cast<int>(sides[axis]);
  a.inner = static_cast<int>(row_major(sides).strides[axis]);
  a.rows = static_cast<int>(elements(sides)) / a.along;
  // Rows side by side are loaded together if each work-item has one.
  const bool shared = !device_.is_cpu && a.inner == 1 && a.along >= kSharedElements;
  a.lanes = shared ? static_cast<int>(items()) : 1;
  launch(form("softmax", softmax_cl),
         static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.lanes), a,
         {input, input, input}, output);
}

void Launches::add(const Step& step, const MatMul& matmul) {
  const Shape& output_shape = shape(step.output);
  const bool biased = step.inputs.size() > 2 && step.inputs[2] != kAbsent;
  const Place first = place(step.inputs[0]), second = place(step.inputs[1]);
  const Place third = biased ? place(step.inputs[2]) : first, output = place(step.output);
  // Leading sides are broadcast; the two last ones stay.
  const auto leading = [&](const Shape& of) {
    Shape to = output_shape;
    std::copy(of.end() - 2, of.end(), to.end() - 2);
    return matrix_offsets(broadcast_to(of, to));
  };
  const std::vector<int> first_offsets = leading(shape(step.inputs[0]));
  const std::vector<int> second_offsets = leading(shape(step.inputs[1]));
  const Strided bias =
      biased ? broadcast_to(shape(step.inputs[2]), output_shape) : broadcast_to({}, output_shape);
  const std::vector<int> third_offsets = matrix_offsets(bias);
  std::vector<int> offsets;
  for (std::size_t i = 0; i < first_offsets.size(); ++i)
    offsets.insert(offsets.end(), {first_offsets[i], second_offsets[i], third_offsets[i]});

  const MatrixStrides left(shape(step.inputs[0]), matmul.transpose_a);
  const MatrixStrides right(shape(step.inputs[1]), matmul.transpose_b);
  MatMulArguments a{};
  a.activation = arguments_of(step.activation);
  a.first = offset_of(first);
  a.second = offset_of(second);
  a.third = offset_of(third);
  a.output = offset_of(output);
  const std::size_t sides = output_shape.size();
  a.rows = static_cast<int>(output_shape[sides - 2]);
  a.columns = static_cast<int>(output_shape[sides - 1]);
  const Shape& of_first = shape(step.inputs[0]);
  a.depth = static_cast<int>(matmul.transpose_a ? of_first[of_first.size() - 2] : of_first.back());
  a.first_row = left.row;
  a.first_depth = left.column;
  a.second_depth = right.row;
  a.second_column = right.column;
  a.third_row = static_cast<int>(bias.strides[sides - 2]);
  a.third_column = static_cast<int>(bias.strides[sides - 1]);
  a.has_bias = biased;
  a.batches = append(offsets);
  launch(form("matmul", matmul_cl),
         {opencl::pieces(a.columns, width()),
          opencl::pieces(a.rows, kMatMulRows) * first_offsets.size()},
         a, {first, second, third}, output);
}

}  // namespace tandem::network
