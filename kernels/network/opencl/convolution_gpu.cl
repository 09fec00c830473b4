// SPDX-License-Identifier: LGPL-2.1-or-later
// A convolution as a matrix product, for GPUs: see ConvolutionArguments. A group computes a tile of
// TILE_ROWS x TILE_COLUMNS. It has SLICES times as many work-items as the tile needs, each share of
// which sums every SLICES-th piece of the depth: small images have too few tiles to fill a GPU.
//
// Built with TILE_ROWS, TILE_COLUMNS, ROWS and COLUMNS (of a work-item), DEPTH (of a piece), SLICES,
// and POINTWISE = 1 where patches are the image itself.

#define ROW_LANES (TILE_ROWS / ROWS)
#define COLUMN_LANES (TILE_COLUMNS / COLUMNS)
#define LANES (ROW_LANES * COLUMN_LANES)
#define ITEMS (LANES * SLICES)
#define WEIGHT_LOADS (DEPTH * TILE_ROWS / 4 / LANES)
#define DEPTH_STEP (LANES / TILE_COLUMNS)
#define PATCH_LOADS (DEPTH / DEPTH_STEP)
#define WEIGHT_VECTORS (DEPTH * TILE_ROWS / 4)
#define PATCH_VECTORS (DEPTH * TILE_COLUMNS / 4)
#define INPUT_VECTORS (SLICES * (WEIGHT_VECTORS + PATCH_VECTORS))
#define SUM_VECTORS (SLICES * TILE_ROWS * TILE_COLUMNS / 4)
#define LOCAL_VECTORS (INPUT_VECTORS > SUM_VECTORS ? INPUT_VECTORS : SUM_VECTORS)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void convolution(PARAMETERS) {
  __local float4 tiles[LOCAL_VECTORS];
  const ConvolutionArguments a = ARGUMENTS(ConvolutionArguments);
  const int item = get_local_id(0), slice = item / LANES, lane = item % LANES;
  const int group = get_group_id(1) / a.row_tiles, tile = get_group_id(1) % a.row_tiles;
  __local float4* weight_tile = tiles + slice * (WEIGHT_VECTORS + PATCH_VECTORS);
  __local float4* patch_tile = weight_tile + WEIGHT_VECTORS;

  // A work-item loads one column of the patches.
  const int pixel = get_group_id(0) * TILE_COLUMNS + lane % TILE_COLUMNS;
  const int depth_lane = lane / TILE_COLUMNS;
  __global const float* image = first_input + a.input + (long)group * a.input_group;
#if POINTWISE
  const int channels = pixel < a.pixels ? a.channels : 0;
#else
  __global const TableEntry* table = (__global const TableEntry*)(constants + a.table);
  const int y = pixel / a.out_width, x = pixel - y * a.out_width;
  const int top = pixel < a.pixels ? y * a.stride_y - a.before_y : -(1 << 25);
  image += (long)(y * a.stride_y - a.before_y) * a.in_width + x * a.stride_x - a.before_x;
#endif
  __global const float4* weights =
      (__global const float4*)(constants + a.weights) +
      (long)(group * a.row_tiles + tile) * a.depth * (TILE_ROWS / 4) + lane;

  float sums[ROWS][COLUMNS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) sums[r][c] = 0;
  }
  const int row_lane = lane / COLUMN_LANES, column_lane = lane % COLUMN_LANES;

  // A piece is loaded into registers while the one before is computed.
  float4 new_weights[WEIGHT_LOADS];
  float new_patches[PATCH_LOADS];
  const int pieces = a.depth / DEPTH;  // a multiple of SLICES
  for (int piece = slice - SLICES; piece < pieces; piece += SLICES) {
    const int next = piece + SLICES;
    if (next < pieces) {
#pragma unroll
      for (int i = 0; i < WEIGHT_LOADS; ++i) {
        new_weights[i] = weights[(long)next * WEIGHT_VECTORS + i * LANES];
      }
#pragma unroll
      for (int i = 0; i < PATCH_LOADS; ++i) {
        const int k = next * DEPTH + depth_lane + i * DEPTH_STEP;
#if POINTWISE
        new_patches[i] = k < channels ? image[(long)k * a.pixels + pixel] : 0.0f;
#else
        const TableEntry e = table[k];
        const bool inside =
            (uint)(top + e.y) < (uint)a.in_height && x >= e.begin && x < e.end;
        new_patches[i] = inside ? image[e.offset] : 0.0f;
#endif
      }
    }
    if (piece >= 0) {
      __local const float4* w = weight_tile + row_lane * (ROWS / 4);
      __local const float4* p = patch_tile + column_lane * (COLUMNS / 4);
#pragma unroll
      for (int k = 0; k < DEPTH; ++k) {
        float weight[ROWS], patch[COLUMNS];
#pragma unroll
        for (int r = 0; r < ROWS / 4; ++r) {
          const float4 v = w[k * (TILE_ROWS / 4) + r];
          weight[4 * r] = v.x;
          weight[4 * r + 1] = v.y;
          weight[4 * r + 2] = v.z;
          weight[4 * r + 3] = v.w;
        }
#pragma unroll
        for (int c = 0; c < COLUMNS / 4; ++c) {
          const float4 v = p[k * (TILE_COLUMNS / 4) + c];
          patch[4 * c] = v.x;
          patch[4 * c + 1] = v.y;
          patch[4 * c + 2] = v.z;
          patch[4 * c + 3] = v.w;
        }
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
#pragma unroll
          for (int c = 0; c < COLUMNS; ++c) sums[r][c] = FMA(weight[r], patch[c], sums[r][c]);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (next < pieces) {
#pragma unroll
      for (int i = 0; i < WEIGHT_LOADS; ++i) weight_tile[lane + i * LANES] = new_weights[i];
      __local float* patches = (__local float*)patch_tile;
#pragma unroll
      for (int i = 0; i < PATCH_LOADS; ++i) patches[lane + i * LANES] = new_patches[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  // Through local memory, so that neighbours store adjacent pixels.
  __local float4* own = tiles + slice * (TILE_ROWS * TILE_COLUMNS / 4);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int c = 0; c < COLUMNS / 4; ++c) {
      own[(row_lane * ROWS + r) * (TILE_COLUMNS / 4) + column_lane * (COLUMNS / 4) + c] =
          (float4)(sums[r][4 * c], sums[r][4 * c + 1], sums[r][4 * c + 2], sums[r][4 * c + 3]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __local const float* all = (__local const float*)tiles;
  const int column = get_group_id(0) * TILE_COLUMNS + item % TILE_COLUMNS;
  if (column >= a.pixels) return;
  for (int r = item / TILE_COLUMNS; r < TILE_ROWS; r += ITEMS / TILE_COLUMNS) {
    const int row = tile * TILE_ROWS + r;
    if (row >= a.rows) return;
    const int channel = group * a.rows + row;
    float sum = constants[a.bias + channel];
#pragma unroll
    for (int s = 0; s < SLICES; ++s) {
      sum += all[(s * TILE_ROWS + r) * TILE_COLUMNS + item % TILE_COLUMNS];
    }
    if (a.residual >= 0) sum += second_input[a.residual + (long)channel * a.pixels + column];
    output_memory[a.output + (long)channel * a.output_channel + column * a.output_pixel] = activate(a.activation, sum);
  }
}
