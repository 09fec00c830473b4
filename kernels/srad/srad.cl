// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of srad.h. A work-group computes pixels of one row; only stage 3 shares anything.

// The same sum, whether its terms were computed in the launch or read.
#pragma OPENCL FP_CONTRACT OFF

// Where this item's pixel is; false past the end of the row. `groups` work-groups make a row.
bool find_pixel(int width, int groups, int first_row, int* x, int* y) {
  const int group = get_group_id(0);
  *y = first_row + group / groups;
  *x = group % groups * (int)get_local_size(0) + (int)get_local_id(0);
  return *x < width;
}

__kernel void srad_extract(__global const uchar* luma, ulong luma_offset, long luma_stride,
                           __global float* image, ulong image_offset, long image_stride, int width,
                           int groups, int first_row) {
  int x, y;
  if (!find_pixel(width, groups, first_row, &x, &y)) return;
  image[image_offset + y * image_stride + x] =
      exp((float)luma[luma_offset + y * luma_stride + x] / 255.0f);
}

__kernel void srad_prepare(__global const float* image, ulong image_offset, long image_stride,
                           __global float* squares, ulong squares_offset, long squares_stride,
                           int width, int groups, int first_row) {
  int x, y;
  if (!find_pixel(width, groups, first_row, &x, &y)) return;
  const float value = image[image_offset + y * image_stride + x];
  squares[squares_offset + y * squares_stride + x] = value * value;
}

// Devices need not have doubles: sums are pairs of floats, the second what rounding the first left
// (Knuth's two-sum), and both sums travel in one vector: (image, its rest, squares, their rest).
float4 add_sums(float4 a, float4 b) {
  const float2 sum = a.s02 + b.s02;
  const float2 of_b = sum - a.s02;
  const float2 rest = (a.s02 - (sum - of_b)) + (b.s02 - of_b) + a.s13 + b.s13;
  const float2 high = sum + rest;
  const float2 low = rest - (high - sum);
  return (float4)(high.x, low.x, high.y, low.y);
}

// The sum over the work-group of any size, for all items. Eight are added at a time: barriers cost more
// than sums.
float4 add_group(float4 sum, __local float4* shared) {
  const int item = get_local_id(0);
  shared[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int left = get_local_size(0); left > 1;) {
    const int kept = (left + 7) / 8;
    if (item < kept) {
      for (int i = item + kept; i < left; i += kept) sum = add_sums(sum, shared[i]);
      shared[item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    left = kept;
  }
  sum = shared[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

// Rounds at random, so that rows and images average it out, and not at all where all are equal.
float add_eight(float8 v) {
  const float4 four = v.lo + v.hi;
  const float2 two = four.lo + four.hi;
  return two.x + two.y;
}

// What the sums of all pixels say: the mean and the variation.
float2 statistics_of(float4 sum, float pixels, float least_variation) {
  // Both means and the square of the first, each with its rest.
  const float2 mean = sum.s02 / pixels;
  const float2 rest = (fma(-mean, (float2)pixels, sum.s02) + sum.s13) / pixels;
  const float square = mean.x * mean.x;
  const float square_rest = fma(mean.x, mean.x, -square) + 2 * mean.x * rest.x;
  const float variation = ((mean.y - square) + (rest.y - square_rest)) / square;
  return (float2)(mean.x, variation < least_variation ? 0 : variation);
}

void store_sum(float4 sum, __global volatile float* sums, int group) {
  sums[4 * group] = sum.x;
  sums[4 * group + 1] = sum.y;
  sums[4 * group + 2] = sum.z;
  sums[4 * group + 3] = sum.w;
}

// What this work-item adds of the sums of `groups` work-groups.
float4 add_stored(__global const volatile float* sums, int groups) {
  float4 sum = 0;
  for (int i = get_local_id(0); i < groups; i += get_local_size(0)) {
    sum = add_sums(sum, (float4)(sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]));
  }
  return sum;
}

// Adds the group's sum to those of the others. The group that is done last adds what they have, so
// that one launch leaves the statistics. `done` counts the groups and is 0 again in the end.
void add_groups(float4 sum, __global volatile float* sums, __global volatile uint* done,
                float pixels, float least_variation, __global float* statistics,
                __local float4* shared, __local uint* done_before) {
  const int item = get_local_id(0), groups = get_num_groups(0);
  sum = add_group(sum, shared);
  if (item == 0) {
    store_sum(sum, sums, get_group_id(0));
    mem_fence(CLK_GLOBAL_MEM_FENCE);  // the sums are there before the group counts
    *done_before = atomic_inc(done);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (*done_before != groups - 1) return;

  mem_fence(CLK_GLOBAL_MEM_FENCE);
  sum = add_group(add_stored(sums, groups), shared);
  if (item != 0) return;
  *done = 0;
  const float2 all = statistics_of(sum, pixels, least_variation);
  statistics[0] = all.x;
  statistics[1] = all.y;
}

// A work-group adds `rows` rows. A CPU's item reads vectors; elsewhere neighbouring items read
// neighbouring pixels.
__kernel void srad_reduce(__global const float* image, ulong image_offset, long image_stride,
                          __global const float* squares, ulong squares_offset, long squares_stride,
                          __global volatile float* sums, ulong sums_offset,
                          __global volatile uint* done, int width, int height, int rows,
                          float pixels, float least_variation, __global float* statistics,
                          ulong statistics_offset, __local float4* shared,
                          __local uint* done_before) {
  const int items = get_local_size(0), first = get_group_id(0) * rows;
  const int count = min(rows, height - first) * width;
  image += image_offset + first * image_stride;
  squares += squares_offset + first * squares_stride;
  float4 sum = 0;
#ifdef ON_CPU
  const int eights = width / 8, beyond = width - 8 * eights, used = count / width;
  for (int i = get_local_id(0); i < used * eights; i += items) {
    const int y = i / eights, x = i - y * eights;
    sum = add_sums(sum, (float4)(add_eight(vload8(x, image + y * image_stride)), 0,
                                 add_eight(vload8(x, squares + y * squares_stride)), 0));
  }
  for (int i = get_local_id(0); i < used * beyond; i += items) {
    const int y = i / beyond, x = 8 * eights + i - y * beyond;
    sum = add_sums(sum, (float4)(image[y * image_stride + x], 0, squares[y * squares_stride + x], 0));
  }
#else
  int i = get_local_id(0);
  for (; i + 7 * items < count; i += 8 * items) {
    float pixel[8], square[8];
    for (int j = 0; j < 8; ++j) {
      const int y = (i + j * items) / width, x = i + j * items - y * width;
      pixel[j] = image[y * image_stride + x];
      square[j] = squares[y * squares_stride + x];
    }
    sum = add_sums(sum, (float4)(add_eight(vload8(0, pixel)), 0, add_eight(vload8(0, square)), 0));
  }
  for (; i < count; i += items) {
    const int y = i / width, x = i - y * width;
    sum = add_sums(sum, (float4)(image[y * image_stride + x], 0, squares[y * squares_stride + x], 0));
  }
#endif
  add_groups(sum, sums + sums_offset, done, pixels, least_variation, statistics + statistics_offset,
             shared, done_before);
}

// How much a pixel is to diffuse, from what its neighbours have more than it. One division instead of
// four: see srad_simd.cpp.
float coefficient_of(float pixel, float north, float south, float west, float east, float q0) {
  const float sum = (north + south) + (west + east);
  const float sum2 = north * north + south * south + west * west + east * east;
  const float s = pixel + 0.25f * sum;
  const float n = 0.5f * sum2 - 0.0625f * sum * sum;
  return fmin(q0 * (1 + q0) * s * s / fmax(q0 * q0 * s * s + n, 1e-30f), 1.0f);
}

__kernel void srad_diffuse(__global const float* image, ulong image_offset, long image_stride,
                           __global const float* statistics, ulong statistics_offset,
                           __global float* differences, ulong differences_offset,
                           long differences_stride, __global float* coefficient,
                           ulong coefficient_offset, long coefficient_stride, int width, int height,
                           int groups, int first_row) {
  int x, y;
  if (!find_pixel(width, groups, first_row, &x, &y)) return;
  image += image_offset;
  const float q0 = statistics[statistics_offset + 1];
  const float pixel = image[y * image_stride + x];
  const float north = image[max(y - 1, 0) * image_stride + x] - pixel;
  const float south = image[min(y + 1, height - 1) * image_stride + x] - pixel;
  const float west = image[y * image_stride + max(x - 1, 0)] - pixel;
  const float east = image[y * image_stride + min(x + 1, width - 1)] - pixel;
  __global float* difference = differences + differences_offset + y * differences_stride + x;
  difference[0] = south;
  difference[height * differences_stride] = east;
  coefficient[coefficient_offset + y * coefficient_stride + x] =
      coefficient_of(pixel, north, south, west, east, q0);
}

// What a pixel is after the step.
float updated_pixel(float pixel, float north, float south, float west, float east, float here,
                    float below, float right, float rate) {
  const float divergence = here * (north + west) + below * south + right * east;
  return pixel + rate * divergence;
}

__kernel void srad_update(__global const float* image, ulong image_offset, long image_stride,
                          __global const float* differences, ulong differences_offset,
                          long differences_stride, __global const float* coefficient,
                          ulong coefficient_offset, long coefficient_stride, __global float* updated,
                          ulong updated_offset, long updated_stride, float rate, int width,
                          int height, int groups, int first_row) {
  int x, y;
  if (!find_pixel(width, groups, first_row, &x, &y)) return;
  coefficient += coefficient_offset;
  const float here = coefficient[y * coefficient_stride + x];
  const float below = coefficient[min(y + 1, height - 1) * coefficient_stride + x];
  const float right = coefficient[y * coefficient_stride + min(x + 1, width - 1)];
  __global const float* south = differences + differences_offset + y * differences_stride + x;
  __global const float* east = south + height * differences_stride;
  const float north = y > 0 ? -south[-differences_stride] : 0;
  const float west = x > 0 ? -east[-1] : 0;
  updated[updated_offset + y * updated_stride + x] =
      updated_pixel(image[image_offset + y * image_stride + x], north, *south, west, *east, here,
                    below, right, rate);
}

#ifndef ON_CPU

// --- Whole iterations --------------------------------------------------------------------------
// A work-group computes a block: `tiles` tiles below each other. Blocks are counted row by row.
// All items take turns at the pixels of a tile, and add up what they had of all tiles: both kernels
// in the same order, so that it does not matter which of them has added.

#define TILE_PIXELS (TILE_WIDTH * TILE_HEIGHT)

// The corner of the block of this work-group.
void find_block(int width, int tiles, int* first_x, int* first_y) {
  const int columns = (width + TILE_WIDTH - 1) / TILE_WIDTH, group = get_group_id(0);
  *first_x = group % columns * TILE_WIDTH;
  *first_y = group / columns * tiles * TILE_HEIGHT;
}

// Stage 3 of the whole image.
__kernel void srad_reduce_blocks(__global const float* image, ulong image_offset, long image_stride,
                                 __global const float* squares, ulong squares_offset,
                                 long squares_stride, __global volatile float* sums,
                                 __global volatile uint* done, int width, int height, int tiles,
                                 float pixels, float least_variation, __global float* statistics,
                                 ulong statistics_offset, __local float4* shared,
                                 __local uint* done_before) {
  int first_x, first_y;
  find_block(width, tiles, &first_x, &first_y);
  const int end = min(first_y + tiles * TILE_HEIGHT, height);
  image += image_offset;
  squares += squares_offset;
  float4 sum = 0;
  for (; first_y < end; first_y += TILE_HEIGHT) {
    float2 of_tile = 0;
    for (int i = get_local_id(0); i < TILE_PIXELS; i += get_local_size(0)) {
      const int x = first_x + i % TILE_WIDTH, y = first_y + i / TILE_WIDTH;
      if (x >= width || y >= height) continue;
      of_tile += (float2)(image[y * image_stride + x], squares[y * squares_stride + x]);
    }
    sum = add_sums(sum, (float4)(of_tile.x, 0, of_tile.y, 0));
  }
  add_groups(sum, sums, done, pixels, least_variation, statistics + statistics_offset, shared,
             done_before);
}

// A tile of the image, with one pixel more above and left of it and two below and right of it.
void load_tile(__global const float* image, long stride, int width, int height, int first_x,
               int first_y, __local float (*around)[TILE_WIDTH + 3]) {
  for (int i = get_local_id(0); i < (TILE_WIDTH + 3) * (TILE_HEIGHT + 3); i += get_local_size(0)) {
    const int u = i % (TILE_WIDTH + 3), v = i / (TILE_WIDTH + 3);
    const int x = clamp(first_x + u - 1, 0, width - 1), y = clamp(first_y + v - 1, 0, height - 1);
    around[v][u] = image[y * stride + x];
  }
}

// Stages 4 and 5, and the sums of stages 2 and 3 of the next iteration. The statistics of `image`
// are those given or, with `from_sums`, what its own sums say, which each work-group adds up for
// itself. With `keep` it also writes what the stages leave: these statistics, the squares, the
// differences and the coefficients.
__kernel void srad_iterate(
    __global const float* image, ulong image_offset, long image_stride, __global float* updated,
    ulong updated_offset, long updated_stride, __global const volatile float* sums,
    ulong sums_offset, int from_sums, __global volatile float* sums_after, ulong sums_after_offset,
    float rate, int width, int height, int tiles, float pixels, float least_variation, int keep,
    __global float* statistics, ulong statistics_offset, __global float* squares,
    ulong squares_offset, long squares_stride, __global float* differences,
    ulong differences_offset, long differences_stride, __global float* coefficient,
    ulong coefficient_offset, long coefficient_stride, __local float4* shared) {
  __local float around[TILE_HEIGHT + 3][TILE_WIDTH + 3];
  __local float coefficients[TILE_HEIGHT + 1][TILE_WIDTH + 1];
  const int item = get_local_id(0), items = get_local_size(0);
  int first_x, first_y;
  find_block(width, tiles, &first_x, &first_y);
  const int end = min(first_y + tiles * TILE_HEIGHT, height);
  image += image_offset;
  statistics += statistics_offset;

  load_tile(image, image_stride, width, height, first_x, first_y, around);
  float q0;
  if (from_sums) {
    const float4 all = add_group(add_stored(sums + sums_offset, get_num_groups(0)), shared);
    const float2 found = statistics_of(all, pixels, least_variation);
    q0 = found.y;
    if (keep && get_group_id(0) == 0 && item == 0) {
      statistics[0] = found.x;
      statistics[1] = q0;
    }
  } else {
    q0 = statistics[1];
  }

  float4 sum = 0;
  for (;;) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < (TILE_WIDTH + 1) * (TILE_HEIGHT + 1); i += items) {
      const int u = i % (TILE_WIDTH + 1), v = i / (TILE_WIDTH + 1);
      const float pixel = around[v + 1][u + 1];
      coefficients[v][u] =
          coefficient_of(pixel, around[v][u + 1] - pixel, around[v + 2][u + 1] - pixel,
                         around[v + 1][u] - pixel, around[v + 1][u + 2] - pixel, q0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float2 of_tile = 0;
    for (int i = item; i < TILE_PIXELS; i += items) {
      const int u = i % TILE_WIDTH, v = i / TILE_WIDTH, x = first_x + u, y = first_y + v;
      if (x >= width || y >= height) continue;
      const float pixel = around[v + 1][u + 1];
      const float south = around[v + 2][u + 1] - pixel, east = around[v + 1][u + 2] - pixel;
      const float here = coefficients[v][u];
      const float value =
          updated_pixel(pixel, around[v][u + 1] - pixel, south, around[v + 1][u] - pixel, east,
                        here, coefficients[v + 1][u], coefficients[v][u + 1], rate);
      updated[updated_offset + y * updated_stride + x] = value;
      of_tile += (float2)(value, value * value);
      if (!keep) continue;
      squares[squares_offset + y * squares_stride + x] = pixel * pixel;
      __global float* difference = differences + differences_offset + y * differences_stride + x;
      difference[0] = south;
      difference[height * differences_stride] = east;
      coefficient[coefficient_offset + y * coefficient_stride + x] = here;
    }
    sum = add_sums(sum, (float4)(of_tile.x, 0, of_tile.y, 0));
    barrier(CLK_LOCAL_MEM_FENCE);
    first_y += TILE_HEIGHT;
    if (first_y >= end) break;
    load_tile(image, image_stride, width, height, first_x, first_y, around);
  }
  sum = add_group(sum, shared);
  if (item == 0) store_sum(sum, sums_after + sums_after_offset, get_group_id(0));
}

#endif

__kernel void srad_compress(__global const float* image, ulong image_offset, long image_stride,
                            __global uchar* luma, ulong luma_offset, long luma_stride, int width,
                            int groups, int first_row) {
  int x, y;
  if (!find_pixel(width, groups, first_row, &x, &y)) return;
  const float level = 255.0f * log(image[image_offset + y * image_stride + x]) + 0.5f;
  luma[luma_offset + y * luma_stride + x] = convert_uchar_sat(level);
}
