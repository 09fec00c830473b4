// SPDX-License-Identifier: LGPL-2.1-or-later
// Luma of interleaved RGB (BT.601) in whole numbers
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
void rgb_to_luma(const unsigned char *restrict rgb, unsigned char *restrict to, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const int at = 3 * (y * w + x);
      to[y * w + x] = (77 * rgb[at] + 150 * rgb[at + 1] + 29 * rgb[at + 2] + 128) >> 8;
    }
}
