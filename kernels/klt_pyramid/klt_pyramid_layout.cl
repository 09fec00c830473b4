// SPDX-License-Identifier: LGPL-2.1-or-later
// How a pyramid lies in memory, as KltLayout says: floats from one row to the next, in cache lines of
// 16, and from one plane to the next, 37 lines more than a multiple of 64.

long stride_of(int width) { return (width + 15) / 16 * 16; }

long plane_of(int width, int height) {
  return (stride_of(width) / 16 * height + 26) / 64 * 1024 + 592;
}
