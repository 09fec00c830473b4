// SPDX-License-Identifier: LGPL-2.1-or-later
// Means of 5 by 5 pixels; the border goes on outside of the picture
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
#define RADIUS 2
#define SIDE (2 * RADIUS + 1)

static inline int clampi(int v, int least, int most) { return v < least ? least : v > most ? most : v; }

void box_blur(int w, int h, const unsigned char in[w * h], unsigned char out[restrict w * h]) {
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int sum = 0;
      for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++)
          sum += in[clampi(y + dy, 0, h - 1) * w + clampi(x + dx, 0, w - 1)];
      out[y * w + x] = sum / (SIDE * SIDE);
    }
}
