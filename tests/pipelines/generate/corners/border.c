// SPDX-License-Identifier: LGPL-2.1-or-later
// Conditions that keep a flat array's border apart
// data: w=30 h=20
// random: w=1..70 h=1..30
#define MIN(a, b) ((a) < (b) ? (a) : (b))
void border(const unsigned char *restrict in, unsigned char *restrict out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        out[y * w + x] = in[y * w + x];
        continue;
      }
      int least = x > 1 ? in[y * w + x - 2] : 255;
      for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) least = MIN(least, in[(y + j) * w + x + i]);
      out[y * w + x] = least;
    }
}
