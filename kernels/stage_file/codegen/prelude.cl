// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands in front of a stage's code on a device.
int tandem_within(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}
#define tandem_reach(distance, halo) tandem_within(distance, -(halo), halo)
// OpenCL's own is unsigned.
int tandem_abs(int value) { return value < 0 ? -value : value; }
#define abs(value) tandem_abs(value)
// OpenCL's own have a version for each type and take no two types. As C does, two whole numbers or a
// whole number and a float have one type.
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
