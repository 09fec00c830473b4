// SPDX-License-Identifier: LGPL-2.1-or-later
// Built with RUN: how many neighbours in a row one work-item computes. A CPU device has use for many,
// a GPU for one.

float blur(float a, float b, float c, float d, float e) {
  return (a + e + 4 * (b + d) + 6 * c) * (1 / 16.0f);
}

// The first pixel and the row of a work-item; false: past the end.
int run_of(int width, int height, int* x, int* y) {
  const int runs_a_row = (width + RUN - 1) / RUN;
  *y = get_global_id(0) / runs_a_row;
  *x = ((int)get_global_id(0) - *y * runs_a_row) * RUN;
  return *y < height;
}

// Both passes at (x, y), which is at least 2 from the border. Rows within 2 of the border have not
// been blurred across and are 0.
#define BLUR_BOTH(row, x, y, height, across)                                              \
  blur(y < 4 ? 0 : across(row - 2 * stride, x), y < 3 ? 0 : across(row - stride, x),      \
       across(row, x), y >= height - 3 ? 0 : across(row + stride, x),                     \
       y >= height - 4 ? 0 : across(row + 2 * stride, x))

float across_luma(__global const uchar* row, int x) {
  return blur(row[x - 2], row[x - 1], row[x], row[x + 1], row[x + 2]);
}

float across_image(__global const float* row, int x) {
  return blur(row[x - 2], row[x - 1], row[x], row[x + 1], row[x + 2]);
}

__kernel void blur_luma(__global const uchar* luma, ulong luma_offset, long stride,
                        __global float* pyramid, ulong image_first, int width, int height) {
  int first, y;
  if (!run_of(width, height, &first, &y)) return;
  __global const uchar* row = luma + luma_offset + y * stride;
  __global float* out = pyramid + image_first + (long)y * width;
  const int inside = y >= 2 && y < height - 2;
  for (int x = first; x < min(first + RUN, width); ++x) {
    out[x] = inside && x >= 2 && x < width - 2 ? BLUR_BOTH(row, x, y, height, across_luma) : 0;
  }
}

__kernel void blur_half(__global float* pyramid, ulong image_first, int width, int height,
                        ulong half_first) {
  const int half_width = (width + 1) / 2;
  const long stride = width;
  int first, half_y;
  if (!run_of(half_width, (height + 1) / 2, &first, &half_y)) return;
  const int y = 2 * half_y + 2;
  __global const float* row = pyramid + image_first + y * stride;
  __global float* out = pyramid + half_first + (long)half_y * half_width;
  for (int half_x = first; half_x < min(first + RUN, half_width); ++half_x) {
    const int x = 2 * half_x + 2;
    out[half_x] = y < height - 2 && x < width - 2 ? BLUR_BOTH(row, x, y, height, across_image) : 0;
  }
}

// dx and dy follow the image in the pyramid.
__kernel void gradients(__global float* pyramid, ulong image_first, int width, int height) {
  int first, y;
  if (!run_of(width, height, &first, &y)) return;
  const long pixels = (long)width * height, at = (long)y * width;
  __global const float* here = pyramid + image_first + at;
  __global const float *above = here - width, *below = here + width;
  __global float* dx = pyramid + image_first + pixels + at;
  __global float* dy = dx + pixels;
  for (int x = first; x < min(first + RUN, width); ++x) {
    float gx = 0, gy = 0;
    if (y >= 1 && y < height - 1 && x >= 1 && x < width - 1) {
      // Differences on the border of the level are 0.
      gx = 2 * (here[x + 1] - here[x - 1]);
      if (y > 1) gx += above[x + 1] - above[x - 1];
      if (y < height - 2) gx += below[x + 1] - below[x - 1];
      gy = 2 * (below[x] - above[x]);
      if (x > 1) gy += below[x - 1] - above[x - 1];
      if (x < width - 2) gy += below[x + 1] - above[x + 1];
    }
    dx[x] = gx * (1 / 8.0f);
    dy[x] = gy * (1 / 8.0f);
  }
}
