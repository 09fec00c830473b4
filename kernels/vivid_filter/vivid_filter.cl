// SPDX-License-Identifier: LGPL-2.1-or-later
// Built with PIXELS = 4, 8 or 16: the neighbours in a row that one work-item computes together, so
// that it loads each coefficient once for all of them. They are one vector of OpenCL C: a SIMD register
// of a CPU, registers of one work-item on a GPU.

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

// The reference fuses; where that is slow, results differ in the last bits. Compilers built on clang
// say it in the second or third way when the language's own macro is missing.
#if defined(FP_FAST_FMAF) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define FMA fma
#else
#define FMA mad
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
  // luma / 255 as IEEE rounds it, which OpenCL's own division need not do: a product, corrected once.
  const float reciprocal = 1.0f / 255.0f;
  const Floats quotient = luma * reciprocal;
  return FMA(FMA(quotient, (Floats)(-255.0f), luma), (Floats)(reciprocal), quotient);
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
