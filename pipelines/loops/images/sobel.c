// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges by Sobel's operator
// data: h=128 w=128 threshold=128
// data: h=240 w=320 threshold=128
// data: h=480 w=640 threshold=128
// data: h=512 w=512 threshold=128
// data: h=720 w=1280 threshold=128
// data: h=1024 w=1024 threshold=128
// data: h=1080 w=1920 threshold=128
// data: h=2048 w=2048 threshold=128
// data: h=2160 w=3840 threshold=128
// random: h=1..50 w=1..60 threshold=0..900
#include <stdlib.h>

void sobel(int h, int w, int threshold, const unsigned char in[h][w], unsigned char edges[restrict h][w]) {
#pragma omp parallel for
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      const int gx = in[y - 1][x + 1] + 2 * in[y][x + 1] + in[y + 1][x + 1] - in[y - 1][x - 1] -
                     2 * in[y][x - 1] - in[y + 1][x - 1];
      const int gy = in[y + 1][x - 1] + 2 * in[y + 1][x] + in[y + 1][x + 1] - in[y - 1][x - 1] -
                     2 * in[y - 1][x] - in[y - 1][x + 1];
      edges[y][x] = abs(gx) + abs(gy) >= threshold ? 255 : 0;
    }
}
