// SPDX-License-Identifier: LGPL-2.1-or-later
// Built with either
//   RUN                      how many neighbours in a row one work-item computes: CPUs
//   TILE_WIDTH, TILE_HEIGHT  multiples of 8; the pixels of level 0 that a work-group computes, and
//                            those of level 1 that lie there, from one piece of the luma: GPUs

float blur(float a, float b, float c, float d, float e) {
  return (a + e + 4 * (b + d) + 6 * c) * (1 / 16.0f);
}

// dx and dy of a pixel that is not on the border of its level, from its neighbours in reading order.
// Differences on the border are 0.
float2 gradients_of(float nw, float n, float ne, float w, float e, float sw, float s, float se, int x,
                    int y, int width, int height) {
  float2 sum = 2 * (float2)(e - w, s - n);
  if (y > 1) sum.x += ne - nw;
  if (y < height - 2) sum.x += se - sw;
  if (x > 1) sum.y += sw - nw;
  if (x < width - 2) sum.y += se - ne;
  return sum * (1 / 8.0f);
}

bool has_gradients(int x, int y, int width, int height) {
  return y >= 1 && y < height - 1 && x >= 1 && x < width - 1;
}

#ifdef RUN

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
  __global float* out = pyramid + image_first + y * stride_of(width);
  const int inside = y >= 2 && y < height - 2;
  for (int x = first; x < min(first + RUN, width); ++x) {
    out[x] = inside && x >= 2 && x < width - 2 ? BLUR_BOTH(row, x, y, height, across_luma) : 0;
  }
}

__kernel void blur_half(__global float* pyramid, ulong image_first, int width, int height,
                        ulong half_first) {
  const int half_width = (width + 1) / 2;
  const long stride = stride_of(width);
  int first, half_y;
  if (!run_of(half_width, (height + 1) / 2, &first, &half_y)) return;
  const int y = 2 * half_y + 2;
  __global const float* row = pyramid + image_first + y * stride;
  __global float* out = pyramid + half_first + half_y * stride_of(half_width);
  for (int half_x = first; half_x < min(first + RUN, half_width); ++half_x) {
    const int x = 2 * half_x + 2;
    out[half_x] = y < height - 2 && x < width - 2 ? BLUR_BOTH(row, x, y, height, across_image) : 0;
  }
}

// dx and dy follow the image in the pyramid.
__kernel void gradients(__global float* pyramid, ulong image_first, int width, int height) {
  int first, y;
  if (!run_of(width, height, &first, &y)) return;
  const long stride = stride_of(width), plane = plane_of(width, height);
  __global const float* row = pyramid + image_first + y * stride;
  __global float* dx = pyramid + image_first + plane + y * stride;
  __global float* dy = dx + plane;
  for (int x = first; x < min(first + RUN, width); ++x) {
    __global const float *here = row + x, *above = here - stride, *below = here + stride;
    float2 both = 0;
    if (has_gradients(x, y, width, height)) {
      both = gradients_of(above[-1], above[0], above[1], here[-1], here[1], below[-1], below[0],
                          below[1], x, y, width, height);
    }
    dx[x] = both.x;
    dy[x] = both.y;
  }
}

#else

// What a tile needs: image 0 from 2 before it to 5 behind, of which image 1 is made with a pixel more
// on each side; the luma 2 more on each side. In fours, which an item makes together.
#define IMAGE_WIDTH (TILE_WIDTH + 8)
#define IMAGE_HEIGHT (TILE_HEIGHT + 8)
#define LUMA_WIDTH (IMAGE_WIDTH + 4)
#define LUMA_HEIGHT (IMAGE_HEIGHT + 4)
#define HALF_WIDTH (TILE_WIDTH / 2 + 4)
#define HALF_HEIGHT (TILE_HEIGHT / 2 + 4)

// Whether a pixel is blurred; the others are 0.
bool is_inside(int x, int y, int width, int height) {
  return x >= 2 && x < width - 2 && y >= 2 && y < height - 2;
}

// What lies in a column from `from` on, `count` values in rows of `stride`.
#define LOAD_COLUMN(values, from, stride, count) \
  _Pragma("unroll") for (int i = 0; i < (count); ++i) values[i] = (from)[i * (stride)]

// Writes an image and its gradients where a tile is, `tile_width` x `tile_height` pixels from
// (first_x, first_y) on. `tile` is its first pixel.
void write_level(__local const float* tile, const int stride, int first_x, int first_y,
                 const int tile_width, const int tile_height, __global float* image, int width,
                 int height) {
  const long row_stride = stride_of(width), plane = plane_of(width, height);
  const int runs = tile_width * tile_height / 4;
  for (int i = get_local_id(0); i < runs; i += get_local_size(0)) {
    const int u = i % tile_width, v = i / tile_width * 4, x = first_x + u;
    if (x >= width) continue;
    __local const float* above = tile + (v - 1) * stride + u;
    float left[6], here[6], right[6];
    LOAD_COLUMN(left, above - 1, stride, 6);
    LOAD_COLUMN(here, above, stride, 6);
    LOAD_COLUMN(right, above + 1, stride, 6);
    __global float* to = image + (first_y + v) * row_stride + x;
#pragma unroll
    for (int j = 0; j < 4; ++j, to += row_stride) {
      const int y = first_y + v + j;
      if (y >= height) break;
      float2 both = 0;
      if (has_gradients(x, y, width, height)) {
        both = gradients_of(left[j], here[j], right[j], left[j + 1], right[j + 1], left[j + 2],
                            here[j + 2], right[j + 2], x, y, width, height);
      }
      to[0] = here[j + 1];
      to[plane] = both.x;
      to[2 * plane] = both.y;
    }
  }
}

__kernel void make_pyramid(__global const uchar* luma, ulong luma_offset, long luma_stride,
                           __global float* pyramid, ulong first, int width, int height) {
  __local uchar4 from[LUMA_HEIGHT][LUMA_WIDTH / 4];
  __local float4 across[LUMA_HEIGHT][IMAGE_WIDTH / 4];
  __local float image[IMAGE_HEIGHT][IMAGE_WIDTH];
  __local float half_image[HALF_HEIGHT][HALF_WIDTH];
  const int item = get_local_id(0), items = get_local_size(0);
  const int tile_x = get_group_id(0) * TILE_WIDTH, tile_y = get_group_id(1) * TILE_HEIGHT;
  luma += luma_offset;
  for (int i = item; i < LUMA_HEIGHT * LUMA_WIDTH; i += items) {
    const int u = i % LUMA_WIDTH, v = i / LUMA_WIDTH;
    const int x = clamp(tile_x - 4 + u, 0, width - 1), y = clamp(tile_y - 4 + v, 0, height - 1);
    ((__local uchar*)from)[i] = luma[y * luma_stride + x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < LUMA_HEIGHT * IMAGE_WIDTH / 4; i += items) {
    const int four = i % (IMAGE_WIDTH / 4), v = i / (IMAGE_WIDTH / 4);
    const float4 a = convert_float4(from[v][four]), b = convert_float4(from[v][four + 1]);
    const float4 blurred =
        (a + b + 4 * ((float4)(a.yzw, b.x) + (float4)(a.w, b.xyz)) + 6 * (float4)(a.zw, b.xy)) *
        (1 / 16.0f);
    const int x = tile_x - 2 + 4 * four, y = tile_y - 4 + v;
    across[v][four] = (float4)(is_inside(x, y, width, height) ? blurred.x : 0,
                               is_inside(x + 1, y, width, height) ? blurred.y : 0,
                               is_inside(x + 2, y, width, height) ? blurred.z : 0,
                               is_inside(x + 3, y, width, height) ? blurred.w : 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < IMAGE_HEIGHT * IMAGE_WIDTH / 4; i += items) {
    const int u = i % IMAGE_WIDTH, v = i / IMAGE_WIDTH * 4;
    float column[8];
    LOAD_COLUMN(column, (__local const float*)across[v] + u, IMAGE_WIDTH, 8);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float value =
          blur(column[j], column[j + 1], column[j + 2], column[j + 3], column[j + 4]);
      image[v + j][u] =
          is_inside(tile_x - 2 + u, tile_y - 2 + v + j, width, height) ? value : 0;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  write_level(&image[2][2], IMAGE_WIDTH, tile_x, tile_y, TILE_WIDTH, TILE_HEIGHT, pyramid + first,
              width, height);

  // Pixel (x, y) of image 1 is at 2x + 2, 2y + 2. Down first, unlike image 0: rows that are not blurred
  // across are 0 already, and every second one is left out before the columns are.
  __local float* down = (__local float*)across;
  for (int i = item; i < HALF_HEIGHT / 4 * IMAGE_WIDTH; i += items) {
    const int u = i % IMAGE_WIDTH, v = i / IMAGE_WIDTH * 4;
    float column[11];
#pragma unroll
    for (int j = 0; j < 11; ++j) column[j] = image[min(2 * v + j, IMAGE_HEIGHT - 1)][u];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      down[(v + j) * IMAGE_WIDTH + u] = blur(column[2 * j], column[2 * j + 1], column[2 * j + 2],
                                             column[2 * j + 3], column[2 * j + 4]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < HALF_HEIGHT * HALF_WIDTH; i += items) {
    const int u = i % HALF_WIDTH, v = i / HALF_WIDTH;
    if (u >= TILE_WIDTH / 2 + 2) continue;  // not needed
    __local const float* at = down + v * IMAGE_WIDTH + 2 * u;
    half_image[v][u] = is_inside(tile_x + 2 * u, tile_y + 2 * v, width, height)
                           ? blur(at[0], at[1], at[2], at[3], at[4])
                           : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  write_level(&half_image[1][1], HALF_WIDTH, tile_x / 2, tile_y / 2, TILE_WIDTH / 2,
              TILE_HEIGHT / 2, pyramid + first + 3 * plane_of(width, height), (width + 1) / 2,
              (height + 1) / 2);
}

#endif
