// SPDX-License-Identifier: LGPL-2.1-or-later
// A matrix times its transpose, the lower triangle
// data: n=64 m=64 alpha=1.5 beta=1.2
// data: n=96 m=96 alpha=1.5 beta=1.2
// data: n=128 m=128 alpha=1.5 beta=1.2
// data: n=192 m=192 alpha=1.5 beta=1.2
// data: n=256 m=256 alpha=1.5 beta=1.2
// data: n=384 m=384 alpha=1.5 beta=1.2
// data: n=512 m=512 alpha=1.5 beta=1.2
// data: n=768 m=768 alpha=1.5 beta=1.2
// data: n=1024 m=1024 alpha=1.5 beta=1.2
// random: n=1..50 m=1..50 alpha=-2..2 beta=-2..2
void syrk(int n, int m, float alpha, float beta, float C[restrict n][n], const float A[n][m]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      C[i][j] *= beta;
      for (int k = 0; k < m; k++) C[i][j] += alpha * A[i][k] * A[j][k];
    }
}
