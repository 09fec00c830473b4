// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/network/convolution_cpu_cl.h"
#include "kernels/network/convolution_gpu_cl.h"
#include "kernels/network/depthwise_cpu_cl.h"
#include "kernels/network/depthwise_gpu_cl.h"
#include "kernels/network/opencl/launches.h"

namespace tandem::network {
namespace {

/// A GPU's tile of a matrix product, see convolution_gpu.cl.
struct GpuTile {
  int rows, columns, item_rows, item_columns, depth, slices;
  int cost;  ///< of a unit of depth, on a compute unit that has one group at a time
  constexpr int lanes() const { return rows / item_rows * (columns / item_columns); }
};
/// Costs are in proportion to the times of 101 layers on an H200. With 20 to 28 for the largest,
/// the sum of all times is the same within 1%. A group takes 32 KiB of local memory at most, as
/// much as OpenCL's full profile asks of devices.
constexpr GpuTile kGpuTiles[] = {
    {64, 32, 8, 4, 16, 4, 25},
    {32, 32, 4, 4, 8, 4, 16},
    {16, 16, 4, 4, 4, 16, 5},
};
/// Work-items for each core, so that cores finish together.
constexpr int kItemsACore = 4;
constexpr int kDepthwiseColumns = 512;
/// More rows would leave cores without work.
constexpr int kDepthwiseRows = 32;

int divided_up(int size, int piece) { return (size + piece - 1) / piece; }

bool pointwise(const Window& w) {
  return w.kernel == std::array{1, 1} && w.stride == std::array{1, 1} &&
         w.before == std::array{0, 0} && w.after == std::array{0, 0};
}

/// The least multiple of what a group adds up at a time.
int padded_depth(int depth, const GpuTile& tile, int slices) {
  return divided_up(depth, tile.depth * slices) * tile.depth * slices;
}

/// The tile with which all compute units are done first.
const GpuTile& choose_tile(const ConvolutionArguments& a, int depth, int groups, unsigned units) {
  const auto time = [&](const GpuTile& tile) {
    const int tiles = groups * divided_up(a.rows, tile.rows) * divided_up(a.pixels, tile.columns);
    return int64_t{tile.cost} * padded_depth(depth, tile, tile.slices) *
           divided_up(tiles, static_cast<int>(std::max(units, 1u)));
  };
  return *std::min_element(
      std::begin(kGpuTiles), std::end(kGpuTiles),
      [&](const GpuTile& one, const GpuTile& other) { return time(one) < time(other); });
}

/// Strides of a convolution's output, which may lie in another value.
template <typename Arguments>
void set_strides(Arguments& a, const std::optional<ImageStrides>& scattered, int64_t pixels) {
  const ImageStrides strides = scattered.value_or(ImageStrides{pixels, 1});
  a.output_channel = static_cast<int>(strides.channel);
  a.output_pixel = static_cast<int>(strides.pixel);
}

/// The inputs of a Convolution besides the image and the weights.
struct Extras {
  int bias, residual;
  explicit Extras(const Step& step)
      : bias(step.inputs.size() > 2 ? step.inputs[2] : kAbsent),
        residual(step.inputs.size() > 3 ? step.inputs[3] : kAbsent) {}
};

}  // namespace

// As ConvolutionArguments says: [group][tile of rows][depth][row of the tile].
std::vector<float> Launches::packed_weights(const Step& step, const ConvolutionArguments& a,
                                            int groups, int tile, int depth) const {
  const std::vector<float>& weights = network_.of(step.inputs[1]).constant;
  std::vector<float> packed(static_cast<std::size_t>(groups * a.row_tiles * tile) *
                            static_cast<std::size_t>(a.depth));
  for (int g = 0; g < groups; ++g) {
    for (int row = 0; row < a.rows; ++row) {
      const float* from = weights.data() + static_cast<std::size_t>(g * a.rows + row) *
                                               static_cast<std::size_t>(depth);
      float* to = packed.data() +
                  static_cast<std::size_t>(g * a.row_tiles + row / tile) *
                      static_cast<std::size_t>(a.depth) * static_cast<std::size_t>(tile) +
                  row % tile;
      for (int k = 0; k < depth; ++k) to[static_cast<std::size_t>(k * tile)] = from[k];
    }
  }
  return packed;
}

int Launches::table(const Convolution& convolution, const Shape& image, int out_width,
                    int padded_depth) {
  const Window& w = convolution.window;
  const int height = static_cast<int>(image[2]), width = static_cast<int>(image[3]);
  std::vector<TableEntry> entries;
  for (int c = 0; c < static_cast<int>(image[1]) / convolution.groups; ++c) {
    for (int ky = 0; ky < w.kernel[0]; ++ky) {
      for (int kx = 0; kx < w.kernel[1]; ++kx) {
        const int y = ky * w.dilation[0], x = kx * w.dilation[1];
        const int begin = divided_up(std::max(0, w.before[1] - x), w.stride[1]);
        const int end = divided_up(std::max(0, width + w.before[1] - x), w.stride[1]);
        entries.push_back({(c * height + y) * width + x, y, begin, std::min(end, out_width)});
      }
    }
  }
  entries.resize(static_cast<std::size_t>(padded_depth), TableEntry{0, 1 << 24, 0, 0});
  return append(entries);
}

void Launches::add(const Step& step, const Convolution& convolution) {
  const Shape& image = shape(step.inputs[0]);
  const Shape& result = shape(step.output);
  const Window& w = convolution.window;
  const int groups = convolution.groups;
  if (groups > 1 && shape(step.inputs[1])[1] == 1 && add_depthwise(step, convolution)) return;

  const bool plain = pointwise(w);
  const Extras extras(step);
  const Place input = place(step.inputs[0]), output = place(step.output);
  const Place residual = extras.residual == kAbsent ? input : place(extras.residual);
  ConvolutionArguments a{};
  a.activation = arguments_of(step.activation);
  a.input = offset_of(input);
  a.residual = extras.residual == kAbsent ? -1 : offset_of(residual);
  a.output = offset_of(output);
  set_strides(a, placement_.scattered(step.output), result[2] * result[3]);
  a.in_height = static_cast<int>(image[2]);
  a.in_width = static_cast<int>(image[3]);
  a.out_width = static_cast<int>(result[3]);
  a.pixels = static_cast<int>(result[2] * result[3]);
  a.stride_y = w.stride[0];
  a.stride_x = w.stride[1];
  a.before_y = w.before[0];
  a.before_x = w.before[1];
  a.rows = static_cast<int>(result[1]) / groups;
  a.channels = static_cast<int>(image[1]) / groups;
  a.input_group = static_cast<int>(elements(image)) / groups;
  a.input_end = a.input + static_cast<int>(elements(image));
  const auto depth =
      static_cast<int>(elements(shape(step.inputs[1])) / static_cast<int64_t>(a.rows * groups));
  const auto multiply = [&](const KernelForm& kernel, int tile_rows, int tile_columns) {
    a.row_tiles = divided_up(a.rows, tile_rows);
    a.weights = append(packed_weights(step, a, groups, tile_rows, depth));
    a.bias = append(extras.bias == kAbsent ? std::vector<float>(static_cast<std::size_t>(result[1]))
                                           : network_.of(extras.bias).constant);
    const std::size_t pixel_tiles = opencl::pieces(a.pixels, tile_columns);
    int blocks = a.row_tiles;
    if (device_.is_cpu) {
      const int wanted = kItemsACore * static_cast<int>(device_.compute_units);
      blocks = std::min(blocks, divided_up(wanted, groups * static_cast<int>(pixel_tiles)));
      a.block_tiles = divided_up(a.row_tiles, blocks);
      blocks = divided_up(a.row_tiles, a.block_tiles);
    }
    launch(kernel, {pixel_tiles * kernel.items, static_cast<std::size_t>(groups * blocks)}, a,
           {input, residual, input}, output);
  };

  if (device_.is_cpu) {
    if (plain) {  // one row
      a.in_width = a.out_width = a.pixels;
      a.in_height = 1;
    }
    Shape rows = image;
    rows[2] = a.in_height;
    rows[3] = a.in_width;
    a.depth = depth;
    a.table = table(convolution, rows, a.out_width, depth);
    const int tile_rows = width() == 16 ? kWideRows : kNarrowRows;
    multiply({"convolution", convolution_cpu_cl, options()}, tile_rows, kVectors * width());
    return;
  }

  const GpuTile& tile = choose_tile(a, depth, groups, device_.compute_units);
  const int slices = std::min(tile.slices, slices_);
  a.depth = padded_depth(depth, tile, slices);
  if (!plain) a.table = table(convolution, image, a.out_width, a.depth);
  multiply(
      {"convolution", convolution_gpu_cl,
       opencl::define("WIDTH", 1) + opencl::define("TILE_ROWS", tile.rows) +
           opencl::define("TILE_COLUMNS", tile.columns) + opencl::define("ROWS", tile.item_rows) +
           opencl::define("COLUMNS", tile.item_columns) + opencl::define("DEPTH", tile.depth) +
           opencl::define("SLICES", slices) + opencl::define("POINTWISE", plain ? 1 : 0),
       static_cast<std::size_t>(tile.lanes() * slices)},
      tile.rows, tile.columns);
}

bool Launches::add_depthwise(const Step& step, const Convolution& convolution) {
  const Shape& image = shape(step.inputs[0]);
  const Shape& result = shape(step.output);
  const Window& w = convolution.window;
  const Extras extras(step);
  DepthwiseArguments a{};
  a.in_height = static_cast<int>(image[2]);
  a.in_width = static_cast<int>(image[3]);
  a.out_height = static_cast<int>(result[2]);
  a.out_width = static_cast<int>(result[3]);
  a.kernel_y = w.kernel[0];
  a.kernel_x = w.kernel[1];
  a.stride_y = w.stride[0];
  a.stride_x = w.stride[1];
  a.dilation_y = w.dilation[0];
  a.dilation_x = w.dilation[1];
  a.before_y = w.before[0];
  a.before_x = w.before[1];
  if (device_.is_cpu) {
    a.tile_width = std::min(a.out_width, kDepthwiseColumns);
    const int padded_width = divided_up(a.tile_width, width()) * width() +
                             (w.kernel[1] - 1) * w.dilation[1] / w.stride[1];
    const int padded_rows = kDepthwiseTile / (padded_width * w.stride[1]);
    const int more = padded_rows - (w.kernel[0] - 1) * w.dilation[0] - 1;
    if (more < 0) return false;
    std::vector<int> places;
    for (int ky = 0; ky < w.kernel[0]; ++ky) {
      for (int kx = 0; kx < w.kernel[1]; ++kx) {
        const int row = ky * w.dilation[0], column = kx * w.dilation[1], apart = w.stride[1];
        places.push_back((row * apart + column % apart) * padded_width + column / apart);
      }
    }
    a.table = append(places);
    a.tile_height = std::min({a.out_height, kDepthwiseRows, more / w.stride[0] + 1});
  }

  const Place input = place(step.inputs[0]), output = place(step.output);
  const Place residual = extras.residual == kAbsent ? input : place(extras.residual);
  a.activation = arguments_of(step.activation);
  a.input = offset_of(input);
  a.residual = extras.residual == kAbsent ? -1 : offset_of(residual);
  a.output = offset_of(output);
  set_strides(a, placement_.scattered(step.output), result[2] * result[3]);
  a.weights = append(network_.of(step.inputs[1]).constant);
  const auto channels = static_cast<std::size_t>(result[1]);
  a.bias = append(extras.bias == kAbsent ? std::vector<float>(channels)
                                         : network_.of(extras.bias).constant);
  a.multiplier = static_cast<int>(result[1] / image[1]);
  a.input_end = a.input + static_cast<int>(elements(image));
  if (device_.is_cpu) {
    const std::size_t tiles =
        opencl::pieces(a.out_height, a.tile_height) * opencl::pieces(a.out_width, a.tile_width);
    launch({"depthwise", depthwise_cpu_cl, options()}, {tiles, channels}, a,
           {input, residual, input}, output);
  } else {
    const auto pixels = static_cast<std::size_t>(a.out_height * a.out_width);
    launch(form("depthwise", depthwise_gpu_cl), {pixels, channels}, a, {input, residual, input},
           output);
  }
  return true;
}

}  // namespace tandem::network
