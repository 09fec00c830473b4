// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands in front of a stage's code on a device.
int tandem_within(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}
#define tandem_reach(distance, halo) tandem_within(distance, -(halo), halo)
// OpenCL's own is unsigned.
int tandem_abs(int value) { return value < 0 ? -value : value; }
#define abs(value) tandem_abs(value)
// A loop that GPUs unroll.
#if TANDEM_ROWS > 1
#define tandem_for _Pragma("unroll") for
#else
#define tandem_for for
#endif
