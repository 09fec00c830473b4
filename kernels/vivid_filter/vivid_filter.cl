// SPDX-License-Identifier: LGPL-2.1-or-later
// Built with either
//   ROWS, COLUMNS, TOGETHER, GROUP
//           one work-item computes a tile of pixels, so that it loads each coefficient once for all
//           of them; the compiler is told the size of a group and takes as many registers: GPUs
//   PIXELS  4, 8 or 16: the neighbours in a row that one work-item computes together, one vector of
//           OpenCL C, which is a SIMD register: CPUs

// The reference fuses; where that is slow, results differ in the last bits. Compilers built on clang
// say it in the second or third way when the language's own macro is missing.
#if defined(FP_FAST_FMAF) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define FMA fma
#else
#define FMA mad
#endif

// luma / 255 as IEEE rounds it, which OpenCL's own division need not do: a product, corrected once.
#define RECIPROCAL (1.0f / 255.0f)

#ifdef ROWS

float intensity(uchar level) {
  const float luma = level;
  const float quotient = luma * RECIPROCAL;
  return FMA(FMA(quotient, -255.0f, luma), RECIPROCAL, quotient);
}

// |response| of one filter to the pixel whose neighbours begin at column x of window[0].
float response(const float (*window)[COLUMNS + 2], int x, float4 a, float4 b, float c) {
  float r = window[0][x] * a.x;
  r = FMA(a.y, window[0][x + 1], r);
  r = FMA(a.z, window[0][x + 2], r);
  r = FMA(a.w, window[1][x], r);
  r = FMA(b.x, window[1][x + 1], r);
  r = FMA(b.y, window[1][x + 2], r);
  r = FMA(b.z, window[2][x], r);
  r = FMA(b.w, window[2][x + 1], r);
  return fabs(FMA(c, window[2][x + 2], r));
}

// The first of TOGETHER filters that answers with `strength`, the greatest of their responses.
int winner_of(const float (*window)[COLUMNS + 2], int x, __local const float4* filters,
              float strength) {
  int winner = TOGETHER - 1;
#pragma unroll
  for (int k = TOGETHER - 2; k >= 0; --k) {
    const float4 a = filters[3 * k], b = filters[3 * k + 1];
    winner = response(window, x, a, b, filters[3 * k + 2].x) == strength ? k : winner;
  }
  return winner;
}

// Filter k is coefficients[3k] ... [3k+2], the last three floats unused; `filters` is a multiple of
// TOGETHER, padded with zeros. Work-items of a group are neighbours in x.
//
// The strongest filter is found in two steps. Comparing costs as much as adding: a maximum for each
// filter, but the number of the strongest only for each TOGETHER filters. Those of the winner are
// computed again, by the same operations, in the end.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void vivid_filter(
    __global const uchar* luma, ulong luma_offset, long luma_stride, __global uchar* index,
    ulong index_offset, long index_stride, __global float* weight, ulong weight_offset,
    long weight_stride, int width, int height, int first_row, int row_count,
    __global const float4* coefficients, int filters, __local float4* shared) {
  for (int i = get_local_id(0); i < 3 * filters; i += GROUP) shared[i] = coefficients[i];
  barrier(CLK_LOCAL_MEM_FENCE);

  const int tiles_a_row = (width + COLUMNS - 1) / COLUMNS;
  const int item = get_global_id(0);
  const int strip = item / tiles_a_row, x = (item - strip * tiles_a_row) * COLUMNS;
  const int band_row = strip * ROWS;
  if (band_row >= row_count) return;
  const int y = first_row + band_row;

  // What lies outside of the frame is seen by border pixels alone, which have no vote.
  float window[ROWS + 2][COLUMNS + 2];
#pragma unroll
  for (int i = 0; i < ROWS + 2; ++i) {
    __global const uchar* row = luma + luma_offset + clamp(y + i - 1, 0, height - 1) * luma_stride;
#pragma unroll
    for (int j = 0; j < COLUMNS + 2; ++j)
      window[i][j] = intensity(row[clamp(x + j - 1, 0, width - 1)]);
  }

  float strength[ROWS][COLUMNS];
  int strongest[ROWS][COLUMNS];
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) {
      strength[i][j] = 0;
      strongest[i][j] = 0;
    }
  }
  for (int first = 0; first < filters; first += TOGETHER) {
    float greatest[ROWS][COLUMNS];
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) greatest[i][j] = strength[i][j];
    }
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
      __local const float4* filter = shared + 3 * (first + k);
      const float4 a = filter[0], b = filter[1];
      const float c = filter[2].x;
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j)
          greatest[i][j] = fmax(greatest[i][j], response(window + i, j, a, b, c));
      }
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) {
        strongest[i][j] = greatest[i][j] > strength[i][j] ? first : strongest[i][j];
        strength[i][j] = greatest[i][j];
      }
    }
  }

  index += index_offset + y * index_stride + x;
  weight += weight_offset + y * weight_stride + x;
  // Without a way out: a loop that has one is not unrolled, and the window leaves the registers.
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) {
      const int first = strongest[i][j];
      const int winner = first + winner_of(window + i, j, shared + 3 * first, strength[i][j]);
      const bool border =
          x + j == 0 || x + j == width - 1 || y + i == 0 || y + i == height - 1;
      const bool votes = !border && strength[i][j] > 0;
      if (x + j < width && band_row + i < row_count) {
        index[i * index_stride + j] = votes ? winner : 0;
        weight[i * weight_stride + j] = votes ? strength[i][j] : 0;
      }
    }
  }
}

#else

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, PIXELS) Floats;
typedef JOIN(int, PIXELS) Ints;
#define LOAD JOIN(vload, PIXELS)
#define STORE JOIN(vstore, PIXELS)
#define TO_FLOATS JOIN(convert_float, PIXELS)
#define TO_BYTES JOIN(convert_uchar, PIXELS)

#if PIXELS == 4
#define LANES ((Ints)(0, 1, 2, 3))
#elif PIXELS == 8
#define LANES ((Ints)(0, 1, 2, 3, 4, 5, 6, 7))
#else
#define LANES ((Ints)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#endif

// Of the luma at x ... x + PIXELS - 1. Past the ends of the row it repeats the last pixel: only
// border pixels, which have no vote, see that.
Floats intensity(__global const uchar* row, int x, int width) {
  Floats luma;
  if (x >= 0 && x + PIXELS <= width) {
    luma = TO_FLOATS(LOAD(0, row + x));
  } else {
    uchar bytes[PIXELS];
    for (int i = 0; i < PIXELS; ++i) bytes[i] = row[clamp(x + i, 0, width - 1)];
    luma = TO_FLOATS(LOAD(0, bytes));
  }
  const Floats quotient = luma * RECIPROCAL;
  return FMA(FMA(quotient, (Floats)(-255.0f), luma), (Floats)(RECIPROCAL), quotient);
}

// Filter k is coefficients[3k] ... [3k+2], the last three floats unused. Work-item i of a row of
// items computes the pixels PIXELS * i and on; the items of all rows are counted through.
__kernel void vivid_filter(__global const uchar* luma, ulong luma_offset, long luma_stride,
                           __global uchar* index, ulong index_offset, long index_stride,
                           __global float* weight, ulong weight_offset, long weight_stride,
                           int width, int height, int first_row, int row_count,
                           __constant float4* coefficients, int filters) {
  const int items_a_row = (width + PIXELS - 1) / PIXELS;
  const int item = get_global_id(0);
  const int band_row = item / items_a_row;
  if (band_row >= row_count) return;
  const int x = (item - band_row * items_a_row) * PIXELS;
  const int y = first_row + band_row;

  __global const uchar* row = luma + luma_offset + y * luma_stride;
  __global const uchar* above = y > 0 ? row - luma_stride : row;
  __global const uchar* below = y < height - 1 ? row + luma_stride : row;
  const Floats i0 = intensity(above, x - 1, width);
  const Floats i1 = intensity(above, x, width);
  const Floats i2 = intensity(above, x + 1, width);
  const Floats i3 = intensity(row, x - 1, width);
  const Floats i4 = intensity(row, x, width);
  const Floats i5 = intensity(row, x + 1, width);
  const Floats i6 = intensity(below, x - 1, width);
  const Floats i7 = intensity(below, x, width);
  const Floats i8 = intensity(below, x + 1, width);

  Floats strength = 0;
  Ints strongest = 0;
  for (int k = 0; k < filters; ++k) {
    const float4 a = coefficients[3 * k], b = coefficients[3 * k + 1], c = coefficients[3 * k + 2];
    Floats r = i0 * a.x;
    r = FMA((Floats)(a.y), i1, r);
    r = FMA((Floats)(a.z), i2, r);
    r = FMA((Floats)(a.w), i3, r);
    r = FMA((Floats)(b.x), i4, r);
    r = FMA((Floats)(b.y), i5, r);
    r = FMA((Floats)(b.z), i6, r);
    r = FMA((Floats)(b.w), i7, r);
    r = FMA((Floats)(c.x), i8, r);
    r = fabs(r);
    const Ints stronger = r > strength;
    strongest = stronger ? (Ints)(k) : strongest;
    strength = stronger ? r : strength;
  }

  const Ints pixel = x + LANES;
  const Ints border = pixel == 0 || pixel == width - 1 || (Ints)(y == 0 || y == height - 1);
  strength = border ? (Floats)(0) : strength;
  strongest = border ? (Ints)(0) : strongest;
  index += index_offset + y * index_stride + x;
  weight += weight_offset + y * weight_stride + x;
  if (x + PIXELS <= width) {
    STORE(TO_BYTES(strongest), 0, index);
    STORE(strength, 0, weight);
  } else {
    uchar indices[PIXELS];
    float weights[PIXELS];
    STORE(TO_BYTES(strongest), 0, indices);
    STORE(strength, 0, weights);
    for (int i = 0; i < width - x; ++i) {
      index[i] = indices[i];
      weight[i] = weights[i];
    }
  }
}

#endif
