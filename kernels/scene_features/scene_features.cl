// SPDX-License-Identifier: LGPL-2.1-or-later
// The scale space of scene_features.h. Built with RUN: how many neighbours in a row one work-item
// computes. A CPU device has use for many, a GPU for one.

// The first pixel and the row of a work-item; false: past the end.
bool run_of(int width, int height, int* x, int* y) {
  const int runs_a_row = (width + RUN - 1) / RUN;
  *y = get_global_id(0) / runs_a_row;
  *x = ((int)get_global_id(0) - *y * runs_a_row) * RUN;
  return *y < height;
}

// The frame at twice its size, `width` x `height`, in [0, 1].
__kernel void double_luma(__global const uchar* luma, ulong luma_offset, long stride,
                          __global float* image, ulong first, int width, int height) {
  int begin, y;
  if (!run_of(width, height, &begin, &y)) return;
  __global const uchar* above = luma + luma_offset + y / 2 * stride;
  __global const uchar* below = luma + luma_offset + min((y + 1) / 2, height / 2 - 1) * stride;
  __global float* to = image + first + (long)y * width;
  for (int x = begin; x < min(begin + RUN, width); ++x) {
    const int left = x / 2, right = min((x + 1) / 2, width / 2 - 1);
    to[x] = (above[left] + above[right] + below[left] + below[right]) * (1 / (4 * 255.0f));
  }
}

// Blurs an image in y.
__kernel void blur_down(__global const float* image, ulong first, __global float* blurred,
                        ulong blurred_first, int width, int height, __constant float* taps,
                        int first_tap, int radius) {
  int begin, y;
  if (!run_of(width, height, &begin, &y)) return;
  const int count = min(RUN, width - begin);
  image += first + begin;
  float sum[RUN];
  for (int i = 0; i < RUN; ++i) sum[i] = 0;
  for (int k = -radius; k <= radius; ++k) {
    const float tap = taps[first_tap + k + radius];
    __global const float* row = image + (long)clamp(y + k, 0, height - 1) * width;
    for (int i = 0; i < count; ++i) sum[i] += tap * row[i];
  }
  blurred += blurred_first + (long)y * width + begin;
  for (int i = 0; i < count; ++i) blurred[i] = sum[i];
}

// Then in x, which makes a level; `difference` is level - before. When `base` is 1, every second
// pixel goes to where the next octave starts, `base_width` x `base_height`.
__kernel void blur_across(__global const float* blurred, ulong blurred_first,
                          __global const float* before, ulong before_first, __global float* level,
                          ulong level_first, __global float* difference, ulong difference_first,
                          __global float* base, ulong base_first, int base_width, int base_height,
                          int width, int height, __constant float* taps, int first_tap,
                          int radius) {
  int begin, y;
  if (!run_of(width, height, &begin, &y)) return;
  const int count = min(RUN, width - begin);
  const long at = (long)y * width + begin;
  blurred += blurred_first + (long)y * width;
  float sum[RUN];
  for (int i = 0; i < RUN; ++i) sum[i] = 0;
  const bool inside = begin >= radius && begin + count + radius <= width;
  for (int k = -radius; k <= radius; ++k) {
    const float tap = taps[first_tap + k + radius];
    if (inside) {
      for (int i = 0; i < count; ++i) sum[i] += tap * blurred[begin + i + k];
    } else {
      for (int i = 0; i < count; ++i) sum[i] += tap * blurred[clamp(begin + i + k, 0, width - 1)];
    }
  }
  level += level_first + at;
  for (int i = 0; i < count; ++i) level[i] = sum[i];
  if (difference_first != NONE) {
    before += before_first + at;
    difference += difference_first + at;
    for (int i = 0; i < count; ++i) difference[i] = sum[i] - before[i];
  }
  if (base_first == NONE || (y & 1) || y / 2 >= base_height) return;
  base += base_first + (long)(y / 2) * base_width;
  for (int i = begin & 1; i < count; i += 2) {
    if ((begin + i) / 2 < base_width) base[(begin + i) / 2] = sum[i];
  }
}

// Length and angle of half the differences of the neighbours.
__kernel void gradient(__global const float* level, ulong level_first, __global float* space,
                       ulong magnitude_first, ulong angle_first, int width, int height) {
  int begin, y;
  if (!run_of(width, height, &begin, &y)) return;
  level += level_first;
  __global const float* row = level + (long)y * width;
  __global const float* above = level + (long)max(y - 1, 0) * width;
  __global const float* below = level + (long)min(y + 1, height - 1) * width;
  const long at = (long)y * width;
  for (int x = begin; x < min(begin + RUN, width); ++x) {
    const float dx = 0.5f * (row[min(x + 1, width - 1)] - row[max(x - 1, 0)]);
    const float dy = 0.5f * (below[x] - above[x]);
    space[magnitude_first + at + x] = sqrt(dx * dx + dy * dy);
    space[angle_first + at + x] = atan2(dy, dx);
  }
}
