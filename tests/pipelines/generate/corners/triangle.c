// SPDX-License-Identifier: LGPL-2.1-or-later
// A part of a picture, upside down
// data: h=20 w=30
// random: h=1..30 w=1..30
void triangle(int h, int w, const int a[h][w], int b[restrict h][w]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < h - 1; i++)
    for (int j = 0; j < w; j++)
      if (j <= i) b[h - 1 - i][j] = a[h - 1 - i][j] + 1000 * i + j;
}
