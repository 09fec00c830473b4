// SPDX-License-Identifier: LGPL-2.1-or-later
// A tensor times a matrix
// data: r=16 q=16 p=16
// data: r=32 q=32 p=32
// data: r=48 q=48 p=48
// data: r=64 q=64 p=64
// data: r=96 q=96 p=96
// data: r=128 q=128 p=64
// data: r=128 q=128 p=128
// data: r=256 q=128 p=64
// data: r=256 q=256 p=64
// random: r=1..9 q=1..9 p=1..20
void doitgen(int r, int q, int p, float A[restrict r][q][p], const float C[p][p]) {
  float sum[r][q][p];
#pragma omp parallel for
  for (int i = 0; i < r; i++)
    for (int j = 0; j < q; j++)
      for (int k = 0; k < p; k++) {
        float element = 0.0f;
        for (int l = 0; l < p; l++) element += A[i][j][l] * C[l][k];
        sum[i][j][k] = element;
      }
#pragma omp parallel for collapse(3)
  for (int i = 0; i < r; i++)
    for (int j = 0; j < q; j++)
      for (int k = 0; k < p; k++) A[i][j][k] = sum[i][j][k];
}
