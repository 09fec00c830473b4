// SPDX-License-Identifier: LGPL-2.1-or-later
// Built with ITEMS, the work-items of a group, a power of two.
//
// A work-group follows one feature; its work-items take turns at pieces of the patch and add up
// what they have in local memory. All of them compute every decision from the same sums, so that
// they stay together. As in klt_flow_simd.cpp the four sums for whole pixels are good for all steps
// around them.

typedef struct {
  int window, iterations;
  float accuracy;
} Settings;

// A level: its image, then dx, then dy.
typedef struct {
  __global const float* image;
  int width, height;
} Level;

// A pixel and the bilinear weights of it and its right, lower and diagonal neighbours.
typedef struct {
  int x, y;
  float4 weights;
} Place;

Place place_of(float2 p) {
  const float2 whole = floor(p), part = p - whole;
  Place place;
  place.x = (int)whole.x;
  place.y = (int)whole.y;
  place.weights = (float4)((1 - part.x) * (1 - part.y), part.x * (1 - part.y),
                           (1 - part.x) * part.y, part.x * part.y);
  return place;
}

int inside(float2 p, int window, Level level) {
  return p.x - window >= 0 && p.y - window >= 0 && p.x + window + 1 < level.width &&
         p.y + window + 1 < level.height;
}

// Pixels below each other that a work-item takes together: neighbours share what they read. Runs of a
// patch are counted row by row. What is below the patch has no gradients.
#define RUN 8

int runs_of(int side) { return (side + RUN - 1) / RUN * side; }

// A place of a row between two columns.
float across(__global const float* at, float part) { return at[0] + part * (at[1] - at[0]); }

// How many rows below the first pixel of a run the one below pixel i is; those below the patch are not
// read.
int rows_down(int i, int row, int side) { return min(row + i, side - 1) - row + 1; }

// Both gradients of a run, whose first pixel is at `dx` and in row `row` of its patch; those in y are
// `plane` behind those in x.
void gradients_of_run(__global const float* dx, long plane, int stride, float2 part, int row,
                      int side, float2* gradients) {
  float x = across(dx, part.x), y = across(dx + plane, part.x);
#pragma unroll
  for (int i = 0; i < RUN; ++i) {
    __global const float* below = dx + (long)rows_down(i, row, side) * stride;
    const float next_x = across(below, part.x), next_y = across(below + plane, part.x);
    gradients[i] = row + i < side ? (float2)(x, y) + part.y * (float2)(next_x - x, next_y - y) : 0;
    x = next_x;
    y = next_y;
  }
}

// Adds up what each work-item has in `mine`; all get the sums. `sums`: ten floats an item.
#if ITEMS >= 64
// Neighbours read and write what lies side by side: one sum of all items, then the next. Eight are
// added at a time, so that three barriers do; none of them is needed before the next call.
float8 add_up(float8 mine, __local float* sums) {
  const int item = get_local_id(0);
  __local float *eighths = sums + 8 * ITEMS, *few = eighths + ITEMS;
  sums[item] = mine.s0;
  sums[ITEMS + item] = mine.s1;
  sums[2 * ITEMS + item] = mine.s2;
  sums[3 * ITEMS + item] = mine.s3;
  sums[4 * ITEMS + item] = mine.s4;
  sums[5 * ITEMS + item] = mine.s5;
  sums[6 * ITEMS + item] = mine.s6;
  sums[7 * ITEMS + item] = mine.s7;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int eighth = ITEMS / 8;
  __local const float* from = sums + item / eighth * ITEMS + item % eighth;
  float sum = from[0];
#pragma unroll
  for (int i = 1; i < 8; ++i) sum += from[i * eighth];
  eighths[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int left = eighth / 8;  // of each sum
  if (item < eighth) {
    from = eighths + item / left * eighth + item % left;
    sum = from[0];
#pragma unroll
    for (int i = 1; i < 8; ++i) sum += from[i * left];
    few[item % left * 8 + item / left] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float8 all = vload8(0, few);
#pragma unroll
  for (int i = 1; i < left; ++i) all += vload8(i, few);
  return all;
}
#else
float8 add_up(float8 mine, __local float* sums) {
  const int item = get_local_id(0);
  vstore8(mine, item, sums);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_way = ITEMS / 2; half_way > 0; half_way /= 2) {
    if (item < half_way) vstore8(vload8(item, sums) + vload8(item + half_way, sums), item, sums);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float8 all = vload8(0, sums);
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}
#endif

// a b - c d without the loss of a difference of two rounded products.
float difference_of_products(float a, float b, float c, float d) {
  const float cd = c * d;
  return fma(a, b, -cd) + fma(-c, d, cd);
}

// Follows `from` on one level from the displacement *d on. 0: lost. Work-items keep in `kept` the
// gradients of the first `kept_runs` runs of the patch: each step needs them.
int follow(Level previous, Level current, Settings settings, float2 from, float2* d,
           __local float2* kept, int kept_runs, __local float* sums) {
  const int window = settings.window, side = 2 * window;
  if (!inside(from, window, current)) return 0;
  const long plane = plane_of(current.width, current.height);
  const int stride = stride_of(current.width);
  const Place start = place_of(from);
  const float2 part = from - floor(from);
  const long corner = (long)(start.y - window) * stride + start.x - window;
  // About the mean: keeps what is summed small.
  const float mean = current.image[(long)start.y * stride + start.x];

  float8 mine = 0;
  for (int run = get_local_id(0); run < runs_of(side); run += ITEMS) {
    const int column = run % side, row = run / side * RUN;
    const long at = corner + (long)row * stride + column;
    float2 g[RUN];
    gradients_of_run(current.image + plane + at, plane, stride, part, row, side, g);
    __global const float* first = previous.image + at;
    float here = across(first, part.x);
#pragma unroll
    for (int i = 0; i < RUN; ++i) {
      const float next = across(first + (long)rows_down(i, row, side) * stride, part.x);
      const float p = here + part.y * (next - here) - mean;
      here = next;
      if (run < kept_runs) kept[i * kept_runs + run] = g[i];
      mine += (float8)(g[i].x * g[i].x, g[i].x * g[i].y, g[i].y * g[i].y, p * g[i].x, p * g[i].y,
                       0, 0, 0);
    }
  }
  const float8 fixed_sums = add_up(mine, sums);
  const float cxx = fixed_sums.s0, cxy = fixed_sums.s1, cyy = fixed_sums.s2;
  const float det = difference_of_products(cxx, cyy, cxy, cxy);
  if (!(det / (cxx + cyy + 1e-5f) >= settings.accuracy)) return 0;

  int x = -1, y = -1;  // no pixel yet
  float8 around = 0;  // with dx for the four neighbours, then with dy
  for (int step_number = 0; step_number < settings.iterations; ++step_number) {
    const float2 to = from + *d;
    if (!inside(to, window, current)) return 0;
    const Place place = place_of(to);
    if (place.x != x || place.y != y) {
      x = place.x;
      y = place.y;
      mine = 0;
      for (int run = get_local_id(0); run < runs_of(side); run += ITEMS) {
        const int column = run % side, row = run / side * RUN;
        float2 g[RUN];
        if (run < kept_runs) {
#pragma unroll
          for (int i = 0; i < RUN; ++i) g[i] = kept[i * kept_runs + run];
        } else {
          gradients_of_run(current.image + plane + corner + (long)row * stride + column, plane,
                           stride, part, row, side, g);
        }
        __global const float* first =
            current.image + (long)(y - window + row) * stride + x - window + column;
        float2 here = (float2)(first[0], first[1]) - mean;
#pragma unroll
        for (int i = 0; i < RUN; ++i) {
          __global const float* below = first + (long)rows_down(i, row, side) * stride;
          const float2 next = (float2)(below[0], below[1]) - mean;
          const float4 levels = (float4)(here, next);
          here = next;
          mine += (float8)(levels * g[i].x, levels * g[i].y);
        }
      }
      around = add_up(mine, sums);
    }
    const float e = fixed_sums.s3 - dot(place.weights, around.lo);
    const float g = fixed_sums.s4 - dot(place.weights, around.hi);
    const float2 step = (float2)(difference_of_products(e, cyy, g, cxy),
                                 difference_of_products(g, cxx, e, cxy)) / det;
    *d += step;
    if (dot(step, step) < settings.accuracy) break;
  }
  return 1;
}

Level level_of(__global const float* pyramid, int width, int height, int half_size) {
  Level level = {pyramid, width, height};
  if (half_size) {
    level.image += 3 * plane_of(width, height);
    level.width = (width + 1) / 2;
    level.height = (height + 1) / 2;
  }
  return level;
}

__kernel void klt_flow(__global const float* previous, ulong previous_offset,
                       __global const float* current, ulong current_offset, int width, int height,
                       int window, int iterations, float accuracy,
                       __global const float* features, ulong features_offset,
                       __global float* vectors, ulong vectors_offset, int kept_runs,
                       __local float2* kept, __local float* sums) {
  previous += previous_offset;
  current += current_offset;
  features += features_offset + 3 * get_group_id(0);
  vectors += vectors_offset + 5 * get_group_id(0);
  const Settings settings = {window, iterations, accuracy};
  const float2 from = (float2)(features[0], features[1]);
  float2 d = 0;
  int found = features[2] > 0;
  for (int level = 1; level >= 0 && found; --level) {
    d *= 2;
    found = follow(level_of(previous, width, height, level),
                   level_of(current, width, height, level), settings, level ? from / 2 : from, &d,
                   kept, kept_runs, sums);
  }
  if (get_local_id(0) != 0) return;
  vectors[0] = found ? from.x : 0;
  vectors[1] = found ? from.y : 0;
  vectors[2] = found ? d.x : 0;
  vectors[3] = found ? d.y : 0;
  vectors[4] = found;
}
