// SPDX-License-Identifier: LGPL-2.1-or-later
// Median of 3 by 3 pixels by insertion
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
void median(const unsigned char *restrict in, unsigned char *restrict out, int w, int h) {
#pragma omp parallel for
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      unsigned char nine[9];
      int n = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
          const unsigned char level = in[(y + dy) * w + x + dx];
          int k = n++;
          while (k > 0 && nine[k - 1] > level) {
            nine[k] = nine[k - 1];
            k--;
          }
          nine[k] = level;
        }
      out[y * w + x] = nine[4];
    }
}
