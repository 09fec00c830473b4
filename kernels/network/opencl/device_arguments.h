// SPDX-License-Identifier: LGPL-2.1-or-later

// Arguments of the kernels of a network: they lie among the constants on the device. Compiled as
// C++ and, in front of each kernel, as OpenCL C, where all fields take 4 bytes.
//
// Offsets are in elements. Those of inputs and outputs are from the start of their cl_mem, all
// others from the start of the constants.

#ifdef __cplusplus
#pragma once
namespace tandem::network {
#endif

// A CPU's tile of a matrix product is kWideRows (with vectors of 16 elements) or kNarrowRows times
// kVectors vectors. Its sums take half of the registers of AVX-512, and 12 of the 16 of others. A
// panel of kChunk depths takes 64 KiB.
enum { kWideRows = 8, kNarrowRows = 6, kVectors = 2, kChunk = 512 };
// Elements of a padded tile of a depthwise convolution on a CPU: 32 KiB, the first cache.
enum { kDepthwiseTile = 8192 };
// Rows of a matrix product that a work-item computes.
enum { kMatMulRows = 4 };

// How an activation is computed. g = min(max(slope x + offset, low), high).
enum {
  kActivateClamp,  // g
  kActivateGate,   // x g
  kActivateLeaky,  // x < 0 ? slope x : x
  kActivateSigmoid,
  kActivateSilu,
  kActivateTanh,
  kActivateExp,
  kActivateSqrt
};
typedef struct {
  int kind;
  float slope, offset, low, high;
} ActivationArguments;

// A convolution as a matrix product: weights (rows x depth) by patches (depth x pixels), once a
// group. The weights lie as [group][tile of rows][depth][row of the tile], zero where padded. The
// table has TableEntry for each depth.
typedef struct {
  ActivationArguments activation;
  int input, residual, output;       // residual < 0: none
  int output_channel, output_pixel;  // strides of the output
  int weights, bias, table;
  int in_height, in_width, out_width, pixels;
  int stride_y, stride_x, before_y, before_x;
  int channels;  // of a group's input
  int rows, depth, row_tiles;
  int input_group;  // elements from one group's input to the next
  int input_end;    // where the elements of all groups end
  int block_tiles;  // tiles of rows that one work-item computes (CPU)
} ConvolutionArguments;

// A depth is a channel and a place in the window. `offset`: its element less that of the window's
// first place in the first channel. `y`: its row in the window, 1 << 24 where padded. `begin` and
// `end`: the columns of the output whose window has this place inside the image.
typedef struct {
  int offset, y, begin, end;
} TableEntry;

typedef struct {
  ActivationArguments activation;
  int input, residual, output;       // residual < 0: none
  int output_channel, output_pixel;  // strides of the output
  int weights, bias;
  int multiplier;  // channels of the output for each of the input
  int table;       // places of the window in a padded tile (CPU)
  int input_end;   // where the elements of all channels end
  int in_height, in_width, out_height, out_width;
  int kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x, before_y, before_x;
  int tile_height, tile_width;  // of a work-item (CPU)
} DepthwiseArguments;

enum { kCopy, kAdd, kSubtract, kMultiply, kDivide, kPower, kMaximum, kMinimum };
#define MOST_SIDES 6
// Sides are merged where possible, innermost first. Strides are in elements.
typedef struct {
  ActivationArguments activation;
  int operation;
  int first, second, output;
  int sides, rows;  // rows: product of all sides but the innermost
  int size[MOST_SIDES];
  int first_stride[MOST_SIDES], second_stride[MOST_SIDES], output_stride[MOST_SIDES];
} ElementwiseArguments;

typedef struct {
  ActivationArguments activation;
  int input, output;
  int input_end;  // where the elements of all channels end
  int average, counts_padding;
  int in_height, in_width, out_height, out_width;
  int rows;  // of all channels of the output
  int kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x, before_y, before_x;
  int after_y, after_x;
  int lanes;  // work-items that share a window
} PoolArguments;

// An axis has AxisEntry for each sample of the output.
typedef struct {
  int first, second;
  float weight;  // of the second
} AxisEntry;
typedef struct {
  ActivationArguments activation;
  int input, output;
  int in_height, in_width, out_height, out_width, channels;
  int rows, columns;  // AxisEntry
} ResizeArguments;

// Row r has elements at r / inner * inner * along + r % inner + i * inner.
typedef struct {
  ActivationArguments activation;
  int input, output;
  int rows, along, inner;
  int lanes;  // work-items that share a row
} SoftmaxArguments;

// Strides in elements: rows and columns of the output, and depth.
typedef struct {
  ActivationArguments activation;
  int first, second, third, output;
  int rows, columns, depth;
  int first_row, first_depth, second_depth, second_column;
  int third_row, third_column;  // bias
  int has_bias;
  int batches;  // offsets of first, second and third, three for each matrix
} MatMulArguments;

#ifdef __cplusplus
}  // namespace tandem::network
#endif
