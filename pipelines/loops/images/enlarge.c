// SPDX-License-Identifier: LGPL-2.1-or-later
// Twice the size, bilinear
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define AT(x, y) in[(y) * w + (x)]

void enlarge(int w, int h, const unsigned char in[w * h], unsigned char *restrict out) {
#pragma omp parallel for collapse(2)
  for (int y = 0; y < 2 * h; y++)
    for (int x = 0; x < 2 * w; x++) {
      const float fx = 0.5f * x, fy = 0.5f * y;
      const int x0 = (int)fx, y0 = (int)fy;
      const int x1 = MIN(x0 + 1, w - 1), y1 = MIN(y0 + 1, h - 1);
      const float ax = fx - x0, ay = fy - y0;
      const float top = AT(x0, y0) + ax * (AT(x1, y0) - AT(x0, y0));
      const float bottom = AT(x0, y1) + ax * (AT(x1, y1) - AT(x0, y1));
      out[y * 2 * w + x] = (unsigned char)(top + ay * (bottom - top) + 0.5f);
    }
}
