// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands in front of a stage's code on a device.
int tandem_within(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}
#define tandem_reach(distance, halo) tandem_within(distance, -(halo), halo)
// OpenCL's own is unsigned.
int tandem_abs(int value) { return value < 0 ? -value : value; }
#define abs(value) tandem_abs(value)
// OpenCL's own have a version for each type and take no two types. As C does, functions of floats
// convert whole numbers, and two whole numbers or a whole number and a float have one type. The
// functions come first: where OpenCL's are macros, as PoCL's are, a macro of that name hides them.
float tandem_acos(float a) { return acos(a); }
float tandem_asin(float a) { return asin(a); }
float tandem_atan(float a) { return atan(a); }
float tandem_cbrt(float a) { return cbrt(a); }
float tandem_ceil(float a) { return ceil(a); }
float tandem_cos(float a) { return cos(a); }
float tandem_cosh(float a) { return cosh(a); }
float tandem_exp(float a) { return exp(a); }
float tandem_exp2(float a) { return exp2(a); }
float tandem_fabs(float a) { return fabs(a); }
float tandem_floor(float a) { return floor(a); }
float tandem_log(float a) { return log(a); }
float tandem_log10(float a) { return log10(a); }
float tandem_log2(float a) { return log2(a); }
float tandem_rint(float a) { return rint(a); }
float tandem_round(float a) { return round(a); }
float tandem_rsqrt(float a) { return rsqrt(a); }
float tandem_sin(float a) { return sin(a); }
float tandem_sinh(float a) { return sinh(a); }
float tandem_sqrt(float a) { return sqrt(a); }
float tandem_tan(float a) { return tan(a); }
float tandem_tanh(float a) { return tanh(a); }
float tandem_trunc(float a) { return trunc(a); }
float tandem_atan2(float a, float b) { return atan2(a, b); }
float tandem_copysign(float a, float b) { return copysign(a, b); }
float tandem_fmax(float a, float b) { return fmax(a, b); }
float tandem_fmin(float a, float b) { return fmin(a, b); }
float tandem_fmod(float a, float b) { return fmod(a, b); }
float tandem_hypot(float a, float b) { return hypot(a, b); }
float tandem_pow(float a, float b) { return pow(a, b); }
float tandem_fma(float a, float b, float c) { return fma(a, b, c); }
float tandem_mad(float a, float b, float c) { return mad(a, b, c); }
float tandem_mix(float a, float b, float c) { return mix(a, b, c); }
#undef acos
#define acos(a) tandem_acos(a)
#undef asin
#define asin(a) tandem_asin(a)
#undef atan
#define atan(a) tandem_atan(a)
#undef cbrt
#define cbrt(a) tandem_cbrt(a)
#undef ceil
#define ceil(a) tandem_ceil(a)
#undef cos
#define cos(a) tandem_cos(a)
#undef cosh
#define cosh(a) tandem_cosh(a)
#undef exp
#define exp(a) tandem_exp(a)
#undef exp2
#define exp2(a) tandem_exp2(a)
#undef fabs
#define fabs(a) tandem_fabs(a)
#undef floor
#define floor(a) tandem_floor(a)
#undef log
#define log(a) tandem_log(a)
#undef log10
#define log10(a) tandem_log10(a)
#undef log2
#define log2(a) tandem_log2(a)
#undef rint
#define rint(a) tandem_rint(a)
#undef round
#define round(a) tandem_round(a)
#undef rsqrt
#define rsqrt(a) tandem_rsqrt(a)
#undef sin
#define sin(a) tandem_sin(a)
#undef sinh
#define sinh(a) tandem_sinh(a)
#undef sqrt
#define sqrt(a) tandem_sqrt(a)
#undef tan
#define tan(a) tandem_tan(a)
#undef tanh
#define tanh(a) tandem_tanh(a)
#undef trunc
#define trunc(a) tandem_trunc(a)
#undef atan2
#define atan2(a, b) tandem_atan2(a, b)
#undef copysign
#define copysign(a, b) tandem_copysign(a, b)
#undef fmax
#define fmax(a, b) tandem_fmax(a, b)
#undef fmin
#define fmin(a, b) tandem_fmin(a, b)
#undef fmod
#define fmod(a, b) tandem_fmod(a, b)
#undef hypot
#define hypot(a, b) tandem_hypot(a, b)
#undef pow
#define pow(a, b) tandem_pow(a, b)
#undef fma
#define fma(a, b, c) tandem_fma(a, b, c)
#undef mad
#define mad(a, b, c) tandem_mad(a, b, c)
#undef mix
#define mix(a, b, c) tandem_mix(a, b, c)
#ifdef min
#define tandem_both(type) \
  type __attribute__((overloadable)) tandem_min(type a, type b) { return min(a, b); } \
  type __attribute__((overloadable)) tandem_max(type a, type b) { return max(a, b); }
tandem_both(int) tandem_both(uint) tandem_both(long) tandem_both(ulong) tandem_both(float)
#undef min
#undef max
#define min(a, b) tandem_min(1 ? (a) : (b), 0 ? (a) : (b))
#define max(a, b) tandem_max(1 ? (a) : (b), 0 ? (a) : (b))
#else
#define min(a, b) min(1 ? (a) : (b), 0 ? (a) : (b))
#define max(a, b) max(1 ? (a) : (b), 0 ? (a) : (b))
#endif
#undef clamp
#define clamp(v, least, most) min(max(v, least), most)
// A loop that GPUs unroll.
#if TANDEM_ROWS > 1
#define tandem_for _Pragma("unroll") for
#else
#define tandem_for for
#endif
