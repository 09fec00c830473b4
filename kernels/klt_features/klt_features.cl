// SPDX-License-Identifier: LGPL-2.1-or-later
// Built with SUPPRESSION, the square of the distance up to which a feature suppresses weaker ones.

// --- Strength ----------------------------------------------------------------------------------
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

// The same where a work-group holds the products of a piece of a row in local memory: what
// neighbours read and write of global memory lies side by side. One work-item: one pixel.
// `products`: three times get_local_size(0) + window - 1.
__kernel void sum_pieces_of_rows(__global const float* dx, ulong dx_offset, long dx_stride,
                                 __global const float* dy, ulong dy_offset, long dy_stride,
                                 __global float* sums, ulong sums_offset, int width, int height,
                                 int window, __local float* products) {
  const int group = get_local_size(0), length = group + window - 1;
  const int first = get_group_id(0) * group, y = get_group_id(1), item = get_local_id(0);
  __local float *xx = products, *xy = xx + length, *yy = xy + length;
  dx += dx_offset + y * dx_stride;
  dy += dy_offset + y * dy_stride;
  for (int i = item; i < length && first + i < width; i += group) {
    const float a = dx[first + i], b = dy[first + i];
    xx[i] = a * a;
    xy[i] = a * b;
    yy[i] = b * b;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int x = first + item;
  if (x >= width) return;
  const int end = min((x / window + 1) * window, width) - first;  // of its block
  float3 sum = 0;
  for (int i = end - 1; i >= item; --i) sum += (float3)(xx[i], xy[i], yy[i]);
  if (x + window <= width) {
    float3 next = 0;
    for (int i = end; i < item + window; ++i) next += (float3)(xx[i], xy[i], yy[i]);
    sum += next;
  }
  const long pixels = (long)width * height;
  sums += sums_offset + (long)y * width + x;
  sums[0] = sum.x;
  sums[pixels] = sum.y;
  sums[2 * pixels] = sum.z;
}

// The same down the columns of those three planes, and the strength. One work-item: one block of a
// column. `ends` are three planes for the sums up to a block's end.
__kernel void sum_columns(__global const float* sums, ulong sums_offset, __global float* ends,
                          ulong ends_offset, __global float* strength, ulong strength_offset,
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
  __global float* end_xx = ends + ends_offset + u;
  __global float *end_xy = end_xx + pixels, *end_yy = end_xy + pixels;

  // The block of pixels is that of the windows that begin in it, moved down by before.
  float3 sum = 0;
  for (int v = min(first + window, height) - 1; v >= first; --v) {
    const long at = (long)v * width;
    sum += (float3)(xx[at], xy[at], yy[at]);
    end_xx[at] = sum.x;
    end_xy[at] = sum.y;
    end_yy[at] = sum.z;
  }
  if (first == 0) {
    for (int y = 0; y < min(before, height); ++y) strength[y * strength_stride] = 0;
  }
  sum = 0;
  for (int v = first; v < min(first + window, height - before); ++v) {
    const int y = v + before;
    const long last = (long)(v + window - 1) * width, at = (long)v * width;
    if (v > first && v + window <= height) sum += (float3)(xx[last], xy[last], yy[last]);
    float value = 0;
    if (y >= window && y < height - window) {
      const float3 all = sum + (float3)(end_xx[at], end_xy[at], end_yy[at]);
      value = (all.x * all.z - all.y * all.y) / (all.x + all.z + 1e-5f);
    }
    strength[y * strength_stride] = value;
  }
}

// --- Selection ---------------------------------------------------------------------------------
// The strongest by a radix search for the least key that is taken, eleven bits a pass. A key is a
// strength (positive floats sort as their bits do) above the pixel's number from the end: no two
// are equal, and among equal strengths the first in reading order is the greatest.

#define BINS 2048
#define PASSES 6

typedef struct {
  uint prefix_high, prefix_low;  // of the least key, as far as it is known; in the end all of it
  uint wanted;                   // keys still to be taken of those with that prefix
  uint done;                     // the rest of the least key is 0
  uint taken;
} Search;

#define STATE_WORDS 8

int shift_of(int pass) { return max(64 - 11 * (pass + 1), 0); }

ulong key_of(float strength, uint pixel) {
  return strength > 0 ? (ulong)as_uint(strength) << 32 | ~pixel : 0;
}

// Whether pixel (x, y), at `here`, is one of KltCandidates::peaks.
int is_peak(__global const float* here, long stride, int x, int y, int width, int height) {
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int u = x + dx, v = y + dy;
      const bool inside = u >= 0 && u < width && v >= 0 && v < height;
      const float other = inside ? here[dy * stride + dx] : 0;
      const bool before = dy < 0 || (dy == 0 && dx < 0);
      if (before ? *here <= other : *here < other) return 0;
    }
  }
  return 1;
}

ulong prefix_of(__global const Search* search) {
  return (ulong)search->prefix_high << 32 | search->prefix_low;
}

__kernel void select_start(__global uint* scratch, ulong scratch_offset, uint count,
                           __global float* features, ulong features_offset) {
  scratch += scratch_offset;
  __global Search* search = (__global Search*)scratch;
  if (get_local_id(0) == 0) {
    search->prefix_high = search->prefix_low = search->done = search->taken = 0;
    search->wanted = count;
  }
  for (int i = get_local_id(0); i < BINS; i += get_local_size(0)) scratch[STATE_WORDS + i] = 0;
  for (uint i = get_local_id(0); i < 3 * count; i += get_local_size(0)) {
    features[features_offset + i] = 0;
  }
}

// Counts the candidates' keys that have the prefix by their next bits. Work-items take turns at pixels.
__kernel void select_count(__global const float* strength, ulong offset, long stride, int width,
                           int height, int peaks_only, __global uint* scratch,
                           ulong scratch_offset, int pass, __local uint* bins) {
  scratch += scratch_offset;
  __global const Search* search = (__global const Search*)scratch;
  for (int i = get_local_id(0); i < BINS; i += get_local_size(0)) bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!search->done) {
    const ulong prefix = prefix_of(search);
    const int shift = shift_of(pass);
    const ulong known = pass == 0 ? 0 : ~0ul << shift_of(pass - 1);
    const uint mask = pass == PASSES - 1 ? (1u << shift_of(PASSES - 2)) - 1 : BINS - 1;
    for (int y = get_group_id(0); y < height; y += get_num_groups(0)) {
      __global const float* row = strength + offset + y * stride;
      for (int x = get_local_id(0); x < width; x += get_local_size(0)) {
        const ulong key = key_of(row[x], (uint)y * (uint)width + (uint)x);
        if (key == 0 || (key & known) != prefix) continue;
        if (peaks_only && !is_peak(row + x, stride, x, y, width, height)) continue;
        atomic_inc(bins + ((uint)(key >> shift) & mask));
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < BINS; i += get_local_size(0)) {
    if (bins[i] != 0) atomic_add(scratch + STATE_WORDS + i, bins[i]);
  }
}

// One work-group: finds the bin in which the least key is, and empties all for the next pass.
__kernel void select_narrow(__global uint* scratch, ulong scratch_offset, int pass,
                            __local uint* bins) {
  scratch += scratch_offset;
  __global Search* search = (__global Search*)scratch;
  for (int i = get_local_id(0); i < BINS; i += get_local_size(0)) {
    bins[i] = scratch[STATE_WORDS + i];
    scratch[STATE_WORDS + i] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) != 0 || search->done) return;
  uint wanted = search->wanted;
  int bin = BINS - 1;
  while (bin > 0 && bins[bin] < wanted) wanted -= bins[bin--];
  // Where the whole of a bin is taken, so is all that would follow.
  search->done = bins[bin] <= wanted;
  search->wanted = wanted;
  const ulong prefix = prefix_of(search) | (ulong)bin << shift_of(pass);
  search->prefix_high = (uint)(prefix >> 32);
  search->prefix_low = (uint)prefix;
}

// Collects the keys that are taken, in any order: at most as many as are wanted.
__kernel void select_gather(__global const float* strength, ulong offset, long stride, int width,
                            int height, int peaks_only, __global uint* scratch,
                            ulong scratch_offset) {
  scratch += scratch_offset;
  __global Search* search = (__global Search*)scratch;
  __global uint* keys = scratch + STATE_WORDS + BINS;
  const ulong least = prefix_of(search);
  for (int y = get_group_id(0); y < height; y += get_num_groups(0)) {
    __global const float* row = strength + offset + y * stride;
    for (int x = get_local_id(0); x < width; x += get_local_size(0)) {
      const ulong key = key_of(row[x], (uint)y * (uint)width + (uint)x);
      if (key == 0 || key < least) continue;
      if (peaks_only && !is_peak(row + x, stride, x, y, width, height)) continue;
      const uint at = atomic_inc(&search->taken);
      keys[2 * at] = (uint)(key >> 32);
      keys[2 * at + 1] = (uint)key;
    }
  }
}

// One work-group: sorts the keys, the greatest first, drops what has a stronger neighbour, and
// writes the rest. `keys` holds `capacity`, a power of two of at least `count`.
__kernel void select_finish(__global const uint* scratch, ulong scratch_offset, int width,
                            int capacity, __global float* features, ulong features_offset,
                            __local ulong* keys, __local uint* dropped) {
  scratch += scratch_offset;
  features += features_offset;
  const int item = get_local_id(0), items = get_local_size(0);
  const int taken = ((__global const Search*)scratch)->taken;
  __global const uint* found = scratch + STATE_WORDS + BINS;
  for (int i = item; i < capacity; i += items) {
    keys[i] = i < taken ? (ulong)found[2 * i] << 32 | found[2 * i + 1] : 0;
    dropped[i] = i >= taken;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int size = 2; size <= capacity; size *= 2) {  // bitonic
    for (int step = size / 2; step > 0; step /= 2) {
      for (int i = item; i < capacity; i += items) {
        const int other = i ^ step;
        if (other > i) {
          const ulong a = keys[i], b = keys[other];
          if ((i & size) == 0 ? a < b : a > b) {
            keys[i] = b;
            keys[other] = a;
          }
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  for (int strong = 0; strong < taken; ++strong) {
    const int pixel = (int)~(uint)keys[strong];
    if (!dropped[strong]) {
      for (int i = strong + 1 + item; i < taken; i += items) {
        const int weak = (int)~(uint)keys[i];
        const int dx = weak % width - pixel % width, dy = weak / width - pixel / width;
        if (dx * dx + dy * dy <= SUPPRESSION) dropped[i] = 1;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item != 0) return;
  for (int i = 0; i < taken; ++i) {
    if (dropped[i]) continue;
    const int pixel = (int)~(uint)keys[i];
    *features++ = pixel % width;
    *features++ = pixel / width;
    *features++ = as_float((uint)(keys[i] >> 32));
  }
}
