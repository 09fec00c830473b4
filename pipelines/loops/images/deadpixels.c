// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels that are 0 become the mean of those beside them
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
// values: in=0..3
void dead_pixels(const unsigned char *restrict in, unsigned char *restrict out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y++) {
    for (int x = 0; x < w; x++) {
      out[y * w + x] = in[y * w + x];
      if (x == 0 || x == w - 1) continue;
      if (in[y * w + x] != 0) continue;
      out[y * w + x] = (in[y * w + x - 1] + in[y * w + x + 1]) / 2;
    }
  }
}
