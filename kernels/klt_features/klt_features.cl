// SPDX-License-Identifier: LGPL-2.1-or-later
// The strength of features. Built with ON_CPU on a CPU, which has no local memory of its own.
//
// Sums over window neighbours by blocks as large as a window: what a window has of one block is a sum up to
// the block's end, what it has of the next a sum from its beginning. Two additions a sum, whatever
// the window, and nothing is subtracted.

// Sums along rows of dx^2, dx dy and dy^2 into three planes. One work-item: one block of a row.
// The sum at x is that of the window that begins there: of pixel x + before.
__kernel void sum_rows(__global const float* dx, ulong dx_offset, long dx_stride,
                       __global const float* dy, ulong dy_offset, long dy_stride,
                       __global float* sums, ulong sums_offset, int width, int height,
                       int window) {
  const int blocks = (width + window - 1) / window;
  const int y = get_global_id(0) / blocks;
  if (y >= height) return;
  const int first = ((int)get_global_id(0) - y * blocks) * window;
  const long pixels = (long)width * height;
  dx += dx_offset + y * dx_stride;
  dy += dy_offset + y * dy_stride;
  __global float* xx = sums + sums_offset + (long)y * width;
  __global float *xy = xx + pixels, *yy = xy + pixels;

  float3 sum = 0;
  for (int x = min(first + window, width) - 1; x >= first; --x) {
    sum += (float3)(dx[x] * dx[x], dx[x] * dy[x], dy[x] * dy[x]);
    xx[x] = sum.x;
    xy[x] = sum.y;
    yy[x] = sum.z;
  }
  sum = 0;
  for (int x = first + 1; x < min(first + window, width - window + 1); ++x) {
    const int last = x + window - 1;
    sum += (float3)(dx[last] * dx[last], dx[last] * dy[last], dy[last] * dy[last]);
    xx[x] += sum.x;
    xy[x] += sum.y;
    yy[x] += sum.z;
  }
}

#ifndef ON_CPU
// The same where a work-group makes get_local_size(0) - window + 1 sums, and a work-item starts with one
// pixel: sums of 2, 4, 8 ... pixels are made of two of half as many, and those that make up the
// window are added. `shared`: six floats an item.
__kernel void sum_pieces_of_rows(__global const float* dx, ulong dx_offset, long dx_stride,
                                 __global const float* dy, ulong dy_offset, long dy_stride,
                                 __global float* sums, ulong sums_offset, int width, int height,
                                 int window, __local float* shared) {
  const int items = get_local_size(0), item = get_local_id(0), y = get_group_id(1);
  const int made = items - window + 1, x = get_group_id(0) * made + item;
  float3 power = 0, sum = 0;  // of a number of pixels from x on
  if (x < width) {
    const float a = dx[dx_offset + y * dx_stride + x], b = dy[dy_offset + y * dy_stride + x];
    power = (float3)(a * a, a * b, b * b);
  }
  int summed = 0, turn = -1;
  for (int pixels = 1; pixels <= window; pixels *= 2) {
    // What the last items miss is in no sum that is written.
    shared[item] = power.x;
    shared[items + item] = power.y;
    shared[2 * items + item] = power.z;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (window & pixels) {
      const int at = min(item + summed, items - 1);
      sum += (float3)(shared[at], shared[items + at], shared[2 * items + at]);
      summed += pixels;
    }
    const int next = min(item + pixels, items - 1);
    power += (float3)(shared[next], shared[items + next], shared[2 * items + next]);
    // Steps take turns in two halves: one barrier a step does.
    turn = -turn;
    shared += turn * 3 * items;
  }
  if (item >= made || x >= width) return;
  const long pixels = (long)width * height;
  sums += sums_offset + (long)y * width + x;
  sums[0] = sum.x;
  sums[pixels] = sum.y;
  sums[2 * pixels] = sum.z;
}
#endif

// The same down the columns of those three planes, and the strength. One work-item: one block of a
// column. `ends` is for the sums up to a block's end: three planes or, in local memory, three floats
// for each item and row of a block.
__kernel void sum_columns(__global const float* restrict sums, ulong sums_offset,
#ifdef ON_CPU
                          __global float* ends, ulong ends_offset,
#else
                          __local float* ends,
#endif
                          __global float* restrict strength, ulong strength_offset,
                          long strength_stride, int width, int height, int window) {
  const int before = (window + 1) / 2;
  const int x = get_global_id(0) % width, first = get_global_id(0) / width * window;
  if (first >= height) return;
  strength += strength_offset + x;
  // What is summed at (u, v) is for the pixel before further right and down.
  const int u = x - before;
  if (x < window || x >= width - window) {
    for (int y = first; y < min(first + window, height); ++y) strength[y * strength_stride] = 0;
    return;
  }
  const long pixels = (long)width * height;
  __global const float* xx = sums + sums_offset + u;
  __global const float *xy = xx + pixels, *yy = xy + pixels;
#ifdef ON_CPU
  __global float* end_xx = ends + ends_offset + (long)first * width + u;
  const long end_row = width, end_plane = pixels;
#else
  __local float* end_xx = ends + get_local_id(0);
  const int end_row = 3 * get_local_size(0), end_plane = get_local_size(0);
#endif

  // The block of pixels is that of the windows that begin in it, moved down by before.
  float3 sum = 0;
#pragma unroll 4
  for (int v = min(first + window, height) - 1; v >= first; --v) {
    const long at = (long)v * width;
    sum += (float3)(xx[at], xy[at], yy[at]);
    end_xx[(v - first) * end_row] = sum.x;
    end_xx[(v - first) * end_row + end_plane] = sum.y;
    end_xx[(v - first) * end_row + 2 * end_plane] = sum.z;
  }
  if (first == 0) {
    for (int y = 0; y < min(before, height); ++y) strength[y * strength_stride] = 0;
  }
  sum = 0;
#pragma unroll 4
  for (int v = first; v < min(first + window, height - before); ++v) {
    const int y = v + before;
    const long last = (long)(v + window - 1) * width;
    if (v > first && v + window <= height) sum += (float3)(xx[last], xy[last], yy[last]);
    float value = 0;
    if (y >= window && y < height - window) {
      const long end = (v - first) * end_row;
      const float3 all =
          sum + (float3)(end_xx[end], end_xx[end + end_plane], end_xx[end + 2 * end_plane]);
      value = (all.x * all.z - all.y * all.y) / (all.x + all.z + 1e-5f);
    }
    strength[y * strength_stride] = value;
  }
}
