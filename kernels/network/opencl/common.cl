// SPDX-License-Identifier: LGPL-2.1-or-later
// In front of each kernel of a network, behind device_arguments.h. Built with WIDTH: elements that a
// work-item computes in one vector; 1 on GPUs.

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if WIDTH == 1
typedef float Floats;
#else
typedef JOIN(float, WIDTH) Floats;
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)
typedef JOIN(int, WIDTH) Ints;
#if WIDTH == 16
#define LANES ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#else
#define LANES ((int8)(0, 1, 2, 3, 4, 5, 6, 7))
#endif
#endif

// As in the other kernels: compilers built on clang say it in the second or third way.
#if defined(FP_FAST_FMAF) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define FMA fma
#else
#define FMA mad
#endif

// Of each kernel. `at`: where its arguments lie among the constants.
#define PARAMETERS                                                              \
  __global const float *constants, int at, __global const float *first_input,   \
      __global const float *second_input, __global const float *third_input,    \
      __global float *output_memory
#define ARGUMENTS(Type) (*(__global const Type*)(constants + at))

Floats activate(ActivationArguments a, Floats x) {
  switch (a.kind) {
    case kActivateClamp:
      return clamp(FMA(x, (Floats)a.slope, (Floats)a.offset), (Floats)a.low, (Floats)a.high);
    case kActivateGate:
      return x *
             clamp(FMA(x, (Floats)a.slope, (Floats)a.offset), (Floats)a.low, (Floats)a.high);
    case kActivateLeaky:
      return fmax(x, (Floats)0) + a.slope * fmin(x, (Floats)0);
    case kActivateTanh:
      return tanh(x);
    case kActivateSqrt:
      return sqrt(x);
    default: {  // one exponential for all: compilers inline a long one
      const Floats e = exp(a.kind == kActivateExp ? x : -x);
      if (a.kind == kActivateExp) return e;
      return (a.kind == kActivateSilu ? x : (Floats)1) / (1 + e);
    }
  }
}

// The first `n` of WIDTH elements that lie `stride` apart; the others are 0.
Floats load_some(__global const float* from, int stride, int n) {
#if WIDTH == 1
  return *from;
#else
  if (stride == 1 && n >= WIDTH) return LOAD(0, from);
  if (stride == 0) return (Floats)*from;
  float elements[WIDTH];
#pragma unroll 1
  for (int i = 0; i < WIDTH; ++i) elements[i] = i < n ? from[(long)i * stride] : 0.0f;
  return LOAD(0, elements);
#endif
}

void store_some(Floats value, __global float* to, int stride, int n) {
#if WIDTH == 1
  *to = value;
#else
  if (stride == 1 && n >= WIDTH) {
    STORE(value, 0, to);
    return;
  }
  float elements[WIDTH];
  STORE(value, 0, elements);
#pragma unroll 1
  for (int i = 0; i < min(n, WIDTH); ++i) to[(long)i * stride] = elements[i];
#endif
}

#if WIDTH > 1
// WIDTH elements from `at` on that lie `stride` apart; zeros outside of [least, limit), which is not
// read.
Floats load_apart(__global const float* image, long at, int stride, long least, long limit) {
  if (stride <= 2 && at >= least && at + 2 * WIDTH <= limit) {
    const Floats first = LOAD(0, image + at);
    if (stride == 1) return first;
    const Floats second = LOAD(1, image + at);
    return (Floats)(first.even, second.even);
  }
  float elements[WIDTH];
#pragma unroll 1
  for (int i = 0; i < WIDTH; ++i, at += stride) {
    elements[i] = at >= least && at < limit ? image[at] : 0.0f;
  }
  return LOAD(0, elements);
}
#endif

// Elements from column `x` on that lie `stride` apart in an image's row, which begins at `row`;
// `outside` where the row has none. Vectors read [least, limit) alone, which contains the image.
Floats load_row(__global const float* image, int row, int x, int stride, int width, long least,
                long limit, float outside) {
#if WIDTH == 1
  return (uint)x < (uint)width ? image[row + x] : outside;
#else
  const Ints xs = x + LANES * stride;
  return select((Floats)outside, load_apart(image, (long)row + x, stride, least, limit),
                xs >= 0 && xs < width);
#endif
}
