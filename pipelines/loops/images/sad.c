// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums of absolute differences of blocks, for all displacements
// data: bh=15 bw=20 reach=2
// data: bh=30 bw=40 reach=2
// data: bh=60 bw=80 reach=2
// data: bh=120 bw=160 reach=2
// data: bh=30 bw=40 reach=4
// data: bh=60 bw=80 reach=4
// data: bh=120 bw=160 reach=4
// data: bh=180 bw=320 reach=2
// data: bh=270 bw=480 reach=2
// random: bh=1..5 bw=1..5 reach=1..3
#include <stdlib.h>

void sad(int bh, int bw, int reach, const unsigned char now[4 * bh][4 * bw],
         const unsigned char before[4 * bh + 2 * reach][4 * bw + 2 * reach],
         int sum[restrict bh][bw][2 * reach + 1][2 * reach + 1]) {
#pragma omp parallel for collapse(4)
  for (int by = 0; by < bh; by++)
    for (int bx = 0; bx < bw; bx++)
      for (int dy = 0; dy < 2 * reach + 1; dy++)
        for (int dx = 0; dx < 2 * reach + 1; dx++) {
          int difference = 0;
          for (int v = 0; v < 4; v++)
            for (int u = 0; u < 4; u++)
              difference += abs(now[4 * by + v][4 * bx + u] - before[4 * by + v + dy][4 * bx + u + dx]);
          sum[by][bx][dy][dx] = difference;
        }
}
