// SPDX-License-Identifier: LGPL-2.1-or-later
// Erosion by a cross
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define AT(x, y) in[(y) * w + (x)]

void cross(const unsigned char *restrict in, unsigned char *restrict out, int w, int h) {
#pragma omp parallel for
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      unsigned char least = AT(x, y);
      least = MIN(least, AT(x - 1, y));
      least = MIN(least, AT(x + 1, y));
      least = MIN(least, AT(x, y - 1));
      least = MIN(least, AT(x, y + 1));
      out[y * w + x] = least;
    }
}
