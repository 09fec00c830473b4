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

// The sum over the work-group of any size, for item 0.
float4 add_group(float4 sum, __local float4* shared) {
  const int item = get_local_id(0);
  shared[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int left = get_local_size(0); left > 1;) {
    const int kept = (left + 1) / 2;
    if (item < left - kept) shared[item] = add_sums(shared[item], shared[item + kept]);
    barrier(CLK_LOCAL_MEM_FENCE);
    left = kept;
  }
  return shared[0];
}

// Rounds at random, so that rows and images average it out, and not at all where all are equal.
float add_eight(float8 v) {
  const float4 four = v.lo + v.hi;
  const float2 two = four.lo + four.hi;
  return two.x + two.y;
}

// Adds the group's sum to those of the others. The group that is done last adds what they have, so
// that one launch leaves the statistics. `done` counts the groups and is 0 again in the end.
void add_groups(float4 sum, __global volatile float* sums, __global volatile uint* done,
                float pixels, float least_variation, __global float* statistics,
                __local float4* shared, __local uint* done_before) {
  const int item = get_local_id(0), items = get_local_size(0), group = get_group_id(0);
  const int groups = get_num_groups(0);
  sum = add_group(sum, shared);
  if (item == 0) {
    sums[4 * group] = sum.x;
    sums[4 * group + 1] = sum.y;
    sums[4 * group + 2] = sum.z;
    sums[4 * group + 3] = sum.w;
    mem_fence(CLK_GLOBAL_MEM_FENCE);  // the sums are there before the group counts
    *done_before = atomic_inc(done);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (*done_before != groups - 1) return;

  mem_fence(CLK_GLOBAL_MEM_FENCE);
  sum = 0;
  for (int i = item; i < groups; i += items) {
    sum = add_sums(sum, (float4)(sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]));
  }
  sum = add_group(sum, shared);
  if (item != 0) return;
  *done = 0;
  // Both means and the square of the first, each with its rest.
  const float2 mean = sum.s02 / pixels;
  const float2 rest = (fma(-mean, (float2)pixels, sum.s02) + sum.s13) / pixels;
  const float square = mean.x * mean.x;
  const float square_rest = fma(mean.x, mean.x, -square) + 2 * mean.x * rest.x;
  const float variation = ((mean.y - square) + (rest.y - square_rest)) / square;
  statistics[0] = mean.x;
  statistics[1] = variation < least_variation ? 0 : variation;
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

// One division instead of four: see srad_simd.cpp.
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
  const float sum = (north + south) + (west + east);
  const float sum2 = north * north + south * south + west * west + east * east;
  const float s = pixel + 0.25f * sum;
  const float n = 0.5f * sum2 - 0.0625f * sum * sum;
  const float c = q0 * (1 + q0) * s * s / fmax(q0 * q0 * s * s + n, 1e-30f);
  __global float* difference = differences + differences_offset + y * differences_stride + x;
  difference[0] = south;
  difference[height * differences_stride] = east;
  coefficient[coefficient_offset + y * coefficient_stride + x] = fmin(c, 1.0f);
}

// What a pixel is after the step.
float update_pixel(__global const float* image, long image_stride,
                   __global const float* differences, long differences_stride,
                   __global const float* coefficient, long coefficient_stride, float rate,
                   int width, int height, int x, int y) {
  const float here = coefficient[y * coefficient_stride + x];
  const float below = coefficient[min(y + 1, height - 1) * coefficient_stride + x];
  const float right = coefficient[y * coefficient_stride + min(x + 1, width - 1)];
  __global const float* south = differences + y * differences_stride + x;
  __global const float* east = south + height * differences_stride;
  const float north = y > 0 ? -south[-differences_stride] : 0;
  const float west = x > 0 ? -east[-1] : 0;
  const float divergence = here * (north + west) + below * *south + right * *east;
  return image[y * image_stride + x] + rate * divergence;
}

__kernel void srad_update(__global const float* image, ulong image_offset, long image_stride,
                          __global const float* differences, ulong differences_offset,
                          long differences_stride, __global const float* coefficient,
                          ulong coefficient_offset, long coefficient_stride, __global float* updated,
                          ulong updated_offset, long updated_stride, float rate, int width,
                          int height, int groups, int first_row) {
  int x, y;
  if (!find_pixel(width, groups, first_row, &x, &y)) return;
  updated[updated_offset + y * updated_stride + x] =
      update_pixel(image + image_offset, image_stride, differences + differences_offset,
                   differences_stride, coefficient + coefficient_offset, coefficient_stride, rate,
                   width, height, x, y);
}

// Stage 5 and stages 2 and 3 of the next iteration: srad_update, srad_prepare and srad_reduce, with
// what they write and the order in which they add.
__kernel void srad_update_reduce(
    __global const float* image, ulong image_offset, long image_stride,
    __global const float* differences, ulong differences_offset, long differences_stride,
    __global const float* coefficient, ulong coefficient_offset, long coefficient_stride,
    __global float* updated, ulong updated_offset, long updated_stride, __global float* squares,
    ulong squares_offset, long squares_stride, float rate, __global volatile float* sums,
    ulong sums_offset, __global volatile uint* done, int width, int height, int rows, float pixels,
    float least_variation, __global float* statistics, ulong statistics_offset,
    __local float4* shared, __local uint* done_before) {
  const int items = get_local_size(0), first = get_group_id(0) * rows;
  const int count = min(rows, height - first) * width;
  image += image_offset;
  differences += differences_offset;
  coefficient += coefficient_offset;
  updated += updated_offset;
  squares += squares_offset;
  float4 sum = 0;
  int i = get_local_id(0);
  for (; i + 7 * items < count; i += 8 * items) {
    float pixel[8], square[8];
    for (int j = 0; j < 8; ++j) {
      const int row = (i + j * items) / width, x = i + j * items - row * width, y = first + row;
      pixel[j] = update_pixel(image, image_stride, differences, differences_stride, coefficient,
                              coefficient_stride, rate, width, height, x, y);
      square[j] = pixel[j] * pixel[j];
    }
    // Written after all were read: the compiler need not suspect that one depends on another.
    for (int j = 0; j < 8; ++j) {
      const int row = (i + j * items) / width, x = i + j * items - row * width, y = first + row;
      updated[y * updated_stride + x] = pixel[j];
      squares[y * squares_stride + x] = square[j];
    }
    sum = add_sums(sum, (float4)(add_eight(vload8(0, pixel)), 0, add_eight(vload8(0, square)), 0));
  }
  for (; i < count; i += items) {
    const int row = i / width, x = i - row * width, y = first + row;
    const float pixel = update_pixel(image, image_stride, differences, differences_stride,
                                     coefficient, coefficient_stride, rate, width, height, x, y);
    const float square = pixel * pixel;
    updated[y * updated_stride + x] = pixel;
    squares[y * squares_stride + x] = square;
    sum = add_sums(sum, (float4)(pixel, 0, square, 0));
  }
  add_groups(sum, sums + sums_offset, done, pixels, least_variation, statistics + statistics_offset,
             shared, done_before);
}

__kernel void srad_compress(__global const float* image, ulong image_offset, long image_stride,
                            __global uchar* luma, ulong luma_offset, long luma_stride, int width,
                            int groups, int first_row) {
  int x, y;
  if (!find_pixel(width, groups, first_row, &x, &y)) return;
  const float level = 255.0f * log(image[image_offset + y * image_stride + x]) + 0.5f;
  luma[luma_offset + y * luma_stride + x] = convert_uchar_sat(level);
}
