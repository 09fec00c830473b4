// SPDX-License-Identifier: LGPL-2.1-or-later
// An outer declaration, and a column that all elements of a row need
// data: h=10 w=10
// random: h=1..30 w=1..30
void whole(int h, int w, const int in[h][w], int out[restrict h][w]) {
#pragma omp parallel for
  for (int i = 1; i < h - 1; i++) {
    const int first = in[i][0], row = i - 1;
    for (int j = 0; j < w; j++) {
      int k = row;
      const int base = first * in[k][j];
      for (int l = 0; l < 2; l++) {
        int i = l;
        if (i < h) k += in[i][j];
      }
      out[i][j] = base + k;
    }
  }
}
