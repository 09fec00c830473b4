// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums along each row: an element needs the one before it
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
// refused: 17:7: one iteration writes several elements of 'out', and 'sum' goes from one to the next: compute it from the loops' variables
void row_sums(const unsigned char *restrict in, int *restrict out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y++) {
    int sum = 0;
    for (int x = 0; x < w; x++) {
      sum += in[y * w + x];
      out[y * w + x] = sum;
    }
  }
}
