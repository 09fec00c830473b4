// SPDX-License-Identifier: LGPL-2.1-or-later
// The scale space of scene_features.h. Built with PIXELS = 1 or 16: the neighbours in a row that one
// work-item computes together. A CPU device has vectors for them, a GPU has none; no row is shorter.

#if PIXELS == 1
typedef float Floats;
#define LOAD(from) (*(from))
#define STORE(value, to) (*(to) = (value))
#else
typedef float16 Floats;
#define LOAD(from) vload16(0, from)
#define STORE(value, to) vstore16(value, 0, to)
#endif

// The first pixel and the row of a work-item; false: past the end. The last item of a row may compute
// again what the one before does.
bool find_pixels(int width, int height, int* x, int* y) {
  const int items_a_row = (width + PIXELS - 1) / PIXELS;
  *y = get_global_id(0) / items_a_row;
  *x = min(((int)get_global_id(0) - *y * items_a_row) * PIXELS, width - PIXELS);
  return *y < height;
}

// A row at x and on; outside of it is what its ends are.
Floats load_beyond(__global const float* row, int x, int width) {
  if (x >= 0 && x + PIXELS <= width) return LOAD(row + x);
  float values[PIXELS];
  for (int i = 0; i < PIXELS; ++i) values[i] = row[clamp(x + i, 0, width - 1)];
  return LOAD(values);
}

// The frame at twice its size, `width` x `height`, in [0, 1].
__kernel void double_luma(__global const uchar* luma, ulong luma_offset, long stride,
                          __global float* image, ulong first, int width, int height) {
  int begin, y;
  if (!find_pixels(width, height, &begin, &y)) return;
  __global const uchar* above = luma + luma_offset + y / 2 * stride;
  __global const uchar* below = luma + luma_offset + min((y + 1) / 2, height / 2 - 1) * stride;
  __global float* to = image + first + (long)y * width;
  for (int x = begin; x < begin + PIXELS; ++x) {
    const int left = x / 2, right = min((x + 1) / 2, width / 2 - 1);
    to[x] = (above[left] + above[right] + below[left] + below[right]) * (1 / (4 * 255.0f));
  }
}

#if PIXELS == 1

// Adds a pixel, `row` below the first of ROWS that are blurred, to those of them that it is near. What
// is near all of them needs no look.
void add_pixel(float* sums, __constant float* taps, int radius, int row, float pixel, bool near_all) {
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int tap = row - i;
    if (near_all || (tap >= -radius && tap <= radius)) sums[i] += taps[tap] * pixel;
  }
}

// Blurs an image in y and then in x, which makes a level; `difference` is level - image. Every second
// pixel goes to `base`, base_width x base_height, where the next octave starts. Either may be at NONE.
// A work-group makes a part of ROWS rows, and an item the same pixel of each, for which it reads what
// they have in common once. `down` holds what the items and `radius` more on both sides are when
// blurred in y, row by row.
__kernel void blur(__global const float* image, ulong image_first, __global float* level,
                   ulong level_first, __global float* difference, ulong difference_first,
                   __global float* base, ulong base_first, int base_width, int base_height,
                   int width, int height, __constant float* taps, int first_tap, int radius,
                   __local float* down) {
  const int items = get_local_size(0), item = get_local_id(0), length = items + 2 * radius;
  const int groups = (width + items - 1) / items, first_y = get_group_id(0) / groups * ROWS;
  const int begin = ((int)get_group_id(0) % groups) * items, x = begin + item;
  image += image_first;
  taps += first_tap + radius;
  const bool inside = first_y >= radius && first_y + ROWS + radius <= height;
  for (int i = item; i < length; i += items) {
    __global const float* column = image + clamp(begin + i - radius, 0, width - 1);
    float sums[ROWS] = {0};
    if (inside && radius >= ROWS) {
      __global const float* pixel = column + (long)(first_y - radius) * width;
      int row = -radius;
      for (; row < ROWS - 1 - radius; ++row, pixel += width)
        add_pixel(sums, taps, radius, row, *pixel, false);
      for (; row <= radius; ++row, pixel += width)
        add_pixel(sums, taps, radius, row, *pixel, true);
      for (; row < radius + ROWS; ++row, pixel += width)
        add_pixel(sums, taps, radius, row, *pixel, false);
    } else {
      for (int row = -radius; row < radius + ROWS; ++row) {
        const long at = clamp(first_y + row, 0, height - 1);
        add_pixel(sums, taps, radius, row, column[at * width], false);
      }
    }
#pragma unroll
    for (int row = 0; row < ROWS; ++row) down[row * length + i] = sums[row];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x >= width) return;
  float sums[ROWS] = {0};
  for (int k = -radius; k <= radius; ++k) {
    const float tap = taps[k];
#pragma unroll
    for (int row = 0; row < ROWS; ++row)
      sums[row] += tap * down[row * length + item + radius + k];
  }
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
    const int y = first_y + row;
    if (y >= height) return;
    const long at = (long)y * width + x;
    level[level_first + at] = sums[row];
    if (difference_first != NONE) difference[difference_first + at] = sums[row] - image[at];
    if (base_first != NONE && !(x & 1) && !(y & 1) && x / 2 < base_width && y / 2 < base_height)
      base[base_first + (long)(y / 2) * base_width + x / 2] = sums[row];
  }
}

#else

// Blurs an image in y. A CPU has its local memory in the same place as all other.
__kernel void blur_down(__global const float* image, ulong first, __global float* blurred,
                        ulong blurred_first, int width, int height, __constant float* taps,
                        int first_tap, int radius) {
  int x, y;
  if (!find_pixels(width, height, &x, &y)) return;
  image += first + x;
  Floats sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const long row = clamp(y + k, 0, height - 1);
    sum += taps[first_tap + k + radius] * LOAD(image + row * width);
  }
  STORE(sum, blurred + blurred_first + (long)y * width + x);
}

// Then in x, which makes a level; `difference` is level - before. Every second pixel goes to `base`,
// base_width x base_height, where the next octave starts. Either may be at NONE.
__kernel void blur_across(__global const float* blurred, ulong blurred_first,
                          __global const float* before, ulong before_first, __global float* level,
                          ulong level_first, __global float* difference, ulong difference_first,
                          __global float* base, ulong base_first, int base_width, int base_height,
                          int width, int height, __constant float* taps, int first_tap,
                          int radius) {
  int x, y;
  if (!find_pixels(width, height, &x, &y)) return;
  const long at = (long)y * width + x;
  blurred += blurred_first + (long)y * width;
  Floats sum = 0;
  for (int k = -radius; k <= radius; ++k)
    sum += taps[first_tap + k + radius] * load_beyond(blurred, x + k, width);
  STORE(sum, level + level_first + at);
  if (difference_first != NONE)
    STORE(sum - LOAD(before + before_first + at), difference + difference_first + at);
  if (base_first == NONE || (y & 1) || y / 2 >= base_height) return;
  base += base_first + (long)(y / 2) * base_width;
  float values[PIXELS];
  STORE(sum, values);
  for (int i = x & 1; i < PIXELS; i += 2) {
    if ((x + i) / 2 < base_width) base[(x + i) / 2] = values[i];
  }
}

#endif

// As in scene_features_simd.cpp; atan2 would take longer than all blurs on a CPU.
Floats angle_of(Floats dx, Floats dy) {
  const Floats ax = fabs(dx), ay = fabs(dy);
  const Floats t = fmin(ax, ay) / fmax(fmax(ax, ay), 1e-30f);
  const Floats t2 = t * t;
  Floats p = -0.011719135734256725f;
  p = p * t2 + 0.05264735146589641f;
  p = p * t2 - 0.11642648196997651f;
  p = p * t2 + 0.19354037608393043f;
  p = p * t2 - 0.3326228278902576f;
  p = p * t2 + 0.9999772190822532f;
  p *= t;
  p = ay > ax ? 1.57079633f - p : p;
  p = dx < 0.0f ? 3.14159265f - p : p;
  return copysign(p, dy);
}

// Length and angle of half the differences of the neighbours.
__kernel void gradient(__global const float* level, ulong level_first, __global float* space,
                       ulong magnitude_first, ulong angle_first, int width, int height) {
  int x, y;
  if (!find_pixels(width, height, &x, &y)) return;
  level += level_first;
  __global const float* row = level + (long)y * width;
  const Floats above = LOAD(level + (long)max(y - 1, 0) * width + x);
  const Floats below = LOAD(level + (long)min(y + 1, height - 1) * width + x);
  const Floats dx = 0.5f * (load_beyond(row, x + 1, width) - load_beyond(row, x - 1, width));
  const Floats dy = 0.5f * (below - above);
  const long at = (long)y * width + x;
  STORE(sqrt(dx * dx + dy * dy), space + magnitude_first + at);
  STORE(angle_of(dx, dy), space + angle_first + at);
}
