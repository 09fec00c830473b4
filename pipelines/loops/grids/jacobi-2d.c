// SPDX-License-Identifier: LGPL-2.1-or-later
// Jacobi's iteration in two dimensions, to and fro between two arrays
// data: steps=10 h=128 w=128
// data: steps=10 h=256 w=256
// data: steps=20 h=256 w=256
// data: steps=20 h=480 w=640
// data: steps=10 h=512 w=512
// data: steps=20 h=512 w=512
// data: steps=20 h=1024 w=1024
// data: steps=10 h=1080 w=1920
// data: steps=10 h=2160 w=3840
// random: steps=1..6 h=1..40 w=1..70
void jacobi_2d(int steps, int h, int w, float A[restrict h][w], float B[restrict h][w]) {
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 1; i < h - 1; i++)
      for (int j = 1; j < w - 1; j++)
        B[i][j] = 0.2f * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
#pragma omp parallel for
    for (int i = 1; i < h - 1; i++)
      for (int j = 1; j < w - 1; j++)
        A[i][j] = 0.2f * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
  }
}
