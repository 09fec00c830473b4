// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands in front of a stage's code on the cores: the words of OpenCL C that C lacks. The
// structures are those of stage_call.h.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

struct tandem_view {
  void* data;
  long stride;
  int width, height;
};
union tandem_value {
  int whole;
  float real;
};
struct tandem_outside {
  const char* file;
  unsigned line, column;
  long index;
  const char* type;
};
struct tandem_cast {
  const char* file;
  unsigned line, column;
  double value;
  const char* type;
};
struct tandem_call {
  int width, height, frame, pass, columns, rows, piece_rows;
  const union tandem_value* parameters;
  const struct tandem_view* tensors;
  int* reach;
  struct tandem_outside* outside;
  struct tandem_cast* cast;
};

static inline int tandem_within(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}
static inline int tandem_seen(int* reach, int distance, int halo) {
  const int away = distance < 0 ? -distance : distance;
  if (away > *reach) *reach = away;
  return tandem_within(distance, -halo, halo);
}
#ifdef TANDEM_CHECK
#define tandem_reach(distance, halo, tensor) tandem_seen(t_->reach + (tensor), distance, halo)
// The compiler's sanitizer calls this before an index is used that its array does not have. The
// structures are those of its run-time library, which is not linked. The step ends there: what the
// index would change is not the stage's.
#include <setjmp.h>
struct tandem_type {
  unsigned short kind, info;  // of a number: whether it has a sign, and log2 of its bits
  char name[];
};
struct tandem_place {
  const char* file;
  unsigned line, column;
  const struct tandem_type *array, *index;
};
static __thread const struct tandem_call* tandem_now;
static __thread jmp_buf tandem_left;
__attribute__((visibility("hidden"))) void __ubsan_handle_out_of_bounds(void* at, void* value) {
  const struct tandem_place* const place = (const struct tandem_place*)at;
  const int unused_bits = 64 - (1 << (place->index->info >> 1));
  const unsigned long index = (unsigned long)value << unused_bits;
  struct tandem_outside* const outside = tandem_now->outside;
  outside->file = place->file;
  outside->line = place->line;
  outside->column = place->column;
  outside->index =
      place->index->info & 1 ? (long)index >> unused_bits : (long)(index >> unused_bits);
  outside->type = place->array->name;
  longjmp(tandem_left, 1);
}
// The same before a float becomes a number that its type does not have; the code goes on. `value`
// has the bits of the float.
struct tandem_cast_place {
  const char* file;
  unsigned line, column;
  const struct tandem_type *from, *to;
};
__attribute__((visibility("hidden"))) void __ubsan_handle_float_cast_overflow(void* at,
                                                                              void* value) {
  const struct tandem_cast_place* const place = (const struct tandem_cast_place*)at;
  struct tandem_cast* const cast = tandem_now->cast;
  if (cast->file || place->from->kind != 1) return;
  union {
    unsigned long bits;
    double real;
  } wide = {(unsigned long)value};
  union {
    unsigned bits;
    float real;
  } narrow = {(unsigned)wide.bits};
  cast->file = place->file;
  cast->line = place->line;
  cast->column = place->column;
  cast->value = place->from->info == 32 ? narrow.real : wide.real;
  cast->type = place->to->name;
}
#define tandem_any_float __attribute__((no_sanitize("float-cast-overflow")))
#define tandem_enter \
  tandem_now = t_;   \
  if (setjmp(tandem_left)) return 0;
#else
#define tandem_reach(distance, halo, tensor) tandem_within(distance, -(halo), halo)
#define tandem_enter
#define tandem_any_float
#endif

// Floats of a vector; elements of a row whose bytes become ints at a time.
#if defined(__AVX512F__)
#define tandem_lanes 16
#elif defined(__AVX__)
#define tandem_lanes 8
#else
#define tandem_lanes 4
#endif
#define tandem_chunk 256

#define constant static const
// Clang makes vectors of elements whose loops it is told to unroll. GCC unrolls by itself, and is
// not to know the numbers of large tables.
#ifdef __clang__
#define tandem_for _Pragma("clang loop unroll(full)") for
#define unknown_ static const
#else
#define tandem_for for
#define unknown_ __attribute__((weak, visibility("hidden")))
#endif
#define __constant static const
#define acos acosf
#define asin asinf
#define cbrt cbrtf
#define copysign copysignf
#define cosh coshf
#define fmod fmodf
#define log10 log10f
#define sinh sinhf
#define exp expf
#define exp2 exp2f
#define log logf
#define log2 log2f
#define sqrt sqrtf
#define rsqrt(v) (1.0f / sqrtf(v))
#define pow powf
#define sin sinf
#define cos cosf
#define tan tanf
#define atan atanf
#define atan2 atan2f
#define tanh tanhf
#define hypot hypotf
#define floor floorf
#define ceil ceilf
#define rint rintf
#define round roundf
#define trunc truncf
#define fabs fabsf
#define fma fmaf
#define mad(a, b, c) ((float)(a) * (float)(b) + (float)(c))

// Compilers make vectors of these, and none of fminf and fmaxf. Of a NaN and a number, the number.
static inline float tandem_fmin(float a, float b) { return a < b || b != b ? a : b; }
static inline float tandem_fmax(float a, float b) { return a > b || b != b ? a : b; }
#define fmin tandem_fmin
#define fmax tandem_fmax

static inline int tandem_min_int(int a, int b) { return a < b ? a : b; }
static inline int tandem_max_int(int a, int b) { return a > b ? a : b; }
static inline float tandem_min_float(float a, float b) { return b < a ? b : a; }
static inline float tandem_max_float(float a, float b) { return a < b ? b : a; }
static inline uint tandem_min_uint(uint a, uint b) { return a < b ? a : b; }
static inline uint tandem_max_uint(uint a, uint b) { return a > b ? a : b; }
static inline long tandem_min_long(long a, long b) { return a < b ? a : b; }
static inline long tandem_max_long(long a, long b) { return a > b ? a : b; }
static inline ulong tandem_min_ulong(ulong a, ulong b) { return a < b ? a : b; }
static inline ulong tandem_max_ulong(ulong a, ulong b) { return a > b ? a : b; }
// Arguments of two types become what their sum is, as on a device.
#define tandem_of(name, a, b) \
  _Generic((a) + (b), float: name##_float, uint: name##_uint, long: name##_long, \
           ulong: name##_ulong, default: name##_int)(a, b)
#define min(a, b) tandem_of(tandem_min, a, b)
#define max(a, b) tandem_of(tandem_max, a, b)
#define clamp(v, least, most) min(max(v, least), most)
#define mix(a, b, t) ((float)(a) + ((float)(b) - (float)(a)) * (float)(t))

static inline uchar tandem_uchar_of_int(int v) { return (uchar)tandem_within(v, 0, 255); }
// One comparison of floats: the other one is an instruction for ints. What is no number becomes 0.
tandem_any_float static inline uchar tandem_uchar_of_float(float v) {
  return (uchar)tandem_max_int((int)(v >= 255.0f ? 255.0f : v), 0);
}
static inline uchar tandem_uchar_of_uint(ulong v) { return (uchar)(v < 255 ? v : 255); }
static inline uchar tandem_uchar_of_long(long v) {
  return (uchar)(v < 0 ? 0 : v < 255 ? v : 255);
}
#define convert_uchar_sat(v) \
  _Generic((v), float: tandem_uchar_of_float, uint: tandem_uchar_of_uint, \
           ulong: tandem_uchar_of_uint, long: tandem_uchar_of_long, default: tandem_uchar_of_int)(v)
#define convert_uchar_sat_rte(v) tandem_uchar_of_float(rintf(v))
#define convert_uchar(v) ((uchar)(v))
#define convert_int(v) ((int)(v))
#define convert_int_rte(v) ((int)_Generic((v), float: rintf(v), default: (v)))
#define convert_float(v) ((float)(v))
