// SPDX-License-Identifier: LGPL-2.1-or-later
// The scale space of scene_features.h. Built with either
//   PIXELS                   16: the neighbours in a row that one work-item computes together, for
//                            which a CPU has vectors; no row is shorter
//   TILE_WIDTH, TILE_HEIGHT  pixels of a level that a work-group makes: GPUs. With TAPS_n, the taps
//                            of the blur that makes level n, and RADIUS_n, at most REACH: loops over
//                            taps are unrolled, and a tap is a part of the instruction

#ifdef PIXELS
typedef float16 Floats;
#define LOAD(from) vload16(0, from)
#define STORE(value, to) vstore16(value, 0, to)
// To the space.
#define STORE_HALVES(value, to) vstore_half16_rte(value, 0, to)
#else
typedef float Floats;
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

#ifdef PIXELS

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
                          ulong level_first, __global half* difference, ulong difference_first,
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
    STORE_HALVES(sum - LOAD(before + before_first + at), difference + difference_first + at);
  if (base_first == NONE || (y & 1) || y / 2 >= base_height) return;
  base += base_first + (long)(y / 2) * base_width;
  float values[PIXELS];
  STORE(sum, values);
  for (int i = x & 1; i < PIXELS; i += 2) {
    if ((x + i) / 2 < base_width) base[(x + i) / 2] = values[i];
  }
}

// Length and angle of half the differences of the neighbours.
__kernel void gradient(__global const float* level, ulong level_first, __global half* space,
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
  STORE_HALVES(sqrt(dx * dx + dy * dy), space + magnitude_first + at);
  STORE_HALVES(angle_of(dx, dy), space + angle_first + at);
}

#else

// A row of a tile in local memory: REACH pixels more on each side, all in fours.
#define ROW (TILE_WIDTH + 2 * REACH)

// What a launch makes: a level, which is `image` blurred, the difference of both, the gradient of
// `image`, and every second pixel of the level, where the next octave starts. First places of each,
// NONE where there is none, the differences and gradients in the space. The first level is made from
// the luma instead.
typedef struct {
  ulong image, level, difference, magnitude, angle, base;
  int base_width, base_height, width, height;
} Level;

// What is blurred, where `of_luma`, a constant of each kernel, says which of them.
typedef struct {
  __global const float* image;
  __global const uchar* luma;
  long luma_stride;
} Source;

// Of a row of the frame: what the doubled frame has of it at x is half of this.
int two_of(Source from, int x, int row, int width, int height) {
  __global const uchar* luma = from.luma + clamp(row, 0, height / 2 - 1) * from.luma_stride;
  return luma[x / 2] + luma[min((x + 1) / 2, width / 2 - 1)];
}

// Blurs the tile at (first_x, first_y) in y, with what lies left and right of it. An item makes a
// whole column: what it reads is a part of up to 2 radius + 1 sums. `around`: what is blurred, of the
// tile and a row more above and below.
inline void blur_down(Source from, const bool of_luma, int first_x, int first_y, int width,
                      int height, __constant const float* taps, const int radius,
                      __local float* down, __local float* around) {
  const int wider = (radius + 3) / 4 * 4;
  for (int i = get_local_id(0); i < TILE_WIDTH + 2 * wider; i += get_local_size(0)) {
    const int x = clamp(first_x - wider + i, 0, width - 1), column = REACH - wider + i;
    float sums[TILE_HEIGHT] = {0};
    // Odd rows of the doubled frame lie between two of the frame; the tile begins with an even one.
    int above = 0, below = 0;
    if (of_luma) below = two_of(from, x, first_y / 2 + (-radius >> 1), width, height);
#pragma unroll
    for (int row = -radius; row < TILE_HEIGHT + radius; ++row) {
      float pixel;
      if (!of_luma) {
        pixel = from.image[(long)clamp(first_y + row, 0, height - 1) * width + x];
      } else {
        above = below;
        if (row & 1) below = two_of(from, x, first_y / 2 + (row + 1 >> 1), width, height);
        pixel = (above + below) * (1 / (4 * 255.0f));
      }
      if (row >= -1 && row <= TILE_HEIGHT) around[(row + 1) * ROW + column] = pixel;
#pragma unroll
      for (int y = 0; y < TILE_HEIGHT; ++y) {
        if (row - y >= -radius && row - y <= radius) sums[y] += taps[row - y + radius] * pixel;
      }
    }
#pragma unroll
    for (int y = 0; y < TILE_HEIGHT; ++y) down[y * ROW + column] = sums[y];
  }
}

// Then in x. An item makes four pixels at a time, of which neighbours share what they read.
inline void blur_across(__local const float4* down, __constant const float* taps, const int radius,
                        __local float4* made) {
  const int wider = (radius + 3) / 4;
  for (int i = get_local_id(0); i < TILE_HEIGHT * TILE_WIDTH / 4; i += get_local_size(0)) {
    const int y = i / (TILE_WIDTH / 4), four = i % (TILE_WIDTH / 4);
    __local const float4* from = down + y * (ROW / 4) + REACH / 4 + four;
    float around[4 * (2 * (REACH / 4) + 1)];
#pragma unroll
    for (int k = -wider; k <= wider; ++k) vstore4(from[k], k + wider, around);
    float sums[4] = {0};
#pragma unroll
    for (int k = -radius; k <= radius; ++k) {
#pragma unroll
      for (int j = 0; j < 4; ++j) sums[j] += taps[k + radius] * around[4 * wider + j + k];
    }
    made[i] = vload4(0, sums);
  }
}

// Tile number `tile` of a level, counted row by row.
inline void make_tile(int tile, Source from, const bool of_luma, Level to, __global float* images,
                      __global half* space, __constant const float* taps, const int radius,
                      __local float4* down, __local float4* made, __local float* around) {
  const int width = to.width, height = to.height, tiles = (width + TILE_WIDTH - 1) / TILE_WIDTH;
  const int first_x = tile % tiles * TILE_WIDTH, first_y = tile / tiles * TILE_HEIGHT;
  blur_down(from, of_luma, first_x, first_y, width, height, taps, radius, (__local float*)down,
            around);
  barrier(CLK_LOCAL_MEM_FENCE);
  blur_across(down, taps, radius, made);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < TILE_HEIGHT * TILE_WIDTH; i += get_local_size(0)) {
    const int u = i % TILE_WIDTH, v = i / TILE_WIDTH, x = first_x + u, y = first_y + v;
    if (x >= width || y >= height) continue;
    const float value = ((__local const float*)made)[i];
    const long at = (long)y * width + x;
    if (to.level != NONE) images[to.level + at] = value;
    if (to.base != NONE && !(x & 1) && !(y & 1) && x / 2 < to.base_width && y / 2 < to.base_height)
      images[to.base + (long)(y / 2) * to.base_width + x / 2] = value;
    if (of_luma) continue;
    __local const float* here = around + (v + 1) * ROW + REACH + u;
    vstore_half_rte(value - *here, to.difference + at, space);
    if (to.magnitude == NONE) continue;
    const float dx = 0.5f * (here[1] - here[-1]), dy = 0.5f * (here[ROW] - here[-ROW]);
    vstore_half_rte(sqrt(dx * dx + dy * dy), to.magnitude + at, space);
    vstore_half_rte(angle_of(dx, dy), to.angle + at, space);
  }
}

__constant const float taps_0[] = {TAPS_0};
__constant const float taps_1[] = {TAPS_1};
__constant const float taps_2[] = {TAPS_2};
__constant const float taps_3[] = {TAPS_3};
__constant const float taps_4[] = {TAPS_4};
__constant const float taps_5[] = {TAPS_5};

#define TILE_MEMORY                                                                                \
  __local float4 down[TILE_HEIGHT * ROW / 4], made[TILE_HEIGHT * TILE_WIDTH / 4];                   \
  __local float around[(TILE_HEIGHT + 2) * ROW]

__kernel void make_level_0(__global const uchar* restrict luma, ulong luma_offset, long luma_stride,
                           __global float* restrict images, Level to) {
  TILE_MEMORY;
  const Source from = {0, luma + luma_offset, luma_stride};
  make_tile(get_group_id(0), from, true, to, images, 0, taps_0, RADIUS_0, down, made, around);
}

// `from` and `images` are the same memory, in which nothing that is read is written.
#define MAKE_LEVEL(n)                                                                              \
  __kernel void make_level_##n(__global const float* restrict from,                                \
                               __global float* restrict images, __global half* restrict space,     \
                               Level to) {                                                         \
    TILE_MEMORY;                                                                                   \
    const Source source = {from + to.image, 0, 0};                                                 \
    make_tile(get_group_id(0), source, false, to, images, space, taps_##n, RADIUS_##n, down, made, \
              around);                                                                             \
  }

// Two levels of different octaves, the first of which takes `tiles` work-groups.
#define MAKE_LEVELS(n, m)                                                                          \
  __kernel void make_levels_##n##_##m(__global const float* restrict from,                         \
                                      __global float* restrict images,                             \
                                      __global half* restrict space, int tiles, Level to,          \
                                      Level to_next) {                                             \
    TILE_MEMORY;                                                                                   \
    const int tile = get_group_id(0);                                                              \
    if (tile < tiles) {                                                                            \
      const Source source = {from + to.image, 0, 0};                                               \
      make_tile(tile, source, false, to, images, space, taps_##n, RADIUS_##n, down, made, around); \
    } else {                                                                                       \
      const Source source = {from + to_next.image, 0, 0};                                          \
      make_tile(tile - tiles, source, false, to_next, images, space, taps_##m, RADIUS_##m, down,   \
                made, around);                                                                     \
    }                                                                                              \
  }

MAKE_LEVEL(1)
MAKE_LEVEL(2)
MAKE_LEVEL(3)
MAKE_LEVEL(4)
MAKE_LEVEL(5)
MAKE_LEVELS(4, 1)
MAKE_LEVELS(5, 2)

#endif
