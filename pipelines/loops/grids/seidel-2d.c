// SPDX-License-Identifier: LGPL-2.1-or-later
// Gauss' and Seidel's iteration: what was just computed is read
// data: h=64 w=64
// data: h=128 w=128
// data: h=256 w=256
// data: h=512 w=512
// data: h=1024 w=1024
// data: h=2048 w=2048
// random: h=1..9 w=1..9
// refused: 15:56: an iteration reads an element of 'A' that another one writes: write to another array and read this one
// The pragma is wrong: rows read the rows that other iterations write.
void seidel_2d(int h, int w, float A[restrict h][w]) {
#pragma omp parallel for
  for (int i = 1; i < h - 1; i++)
    for (int j = 1; j < w - 1; j++) A[i][j] = 0.25f * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
}
