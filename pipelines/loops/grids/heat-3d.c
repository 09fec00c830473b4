// SPDX-License-Identifier: LGPL-2.1-or-later
// Heat in three dimensions, to and fro between two arrays
// data: steps=5 n=16
// data: steps=10 n=24
// data: steps=10 n=32
// data: steps=20 n=32
// data: steps=10 n=48
// data: steps=20 n=48
// data: steps=10 n=64
// data: steps=10 n=96
// data: steps=10 n=128
// random: steps=1..4 n=1..14
void heat_3d(int steps, int n, float A[restrict n][n][n], float B[restrict n][n][n]) {
  for (int t = 1; t <= steps; t++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          B[i][j][k] = 0.125f * (A[i + 1][j][k] - 2.0f * A[i][j][k] + A[i - 1][j][k]) +
                       0.125f * (A[i][j + 1][k] - 2.0f * A[i][j][k] + A[i][j - 1][k]) +
                       0.125f * (A[i][j][k + 1] - 2.0f * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          A[i][j][k] = 0.125f * (B[i + 1][j][k] - 2.0f * B[i][j][k] + B[i - 1][j][k]) +
                       0.125f * (B[i][j + 1][k] - 2.0f * B[i][j][k] + B[i][j - 1][k]) +
                       0.125f * (B[i][j][k + 1] - 2.0f * B[i][j][k] + B[i][j][k - 1]) + B[i][j][k];
  }
}
