// SPDX-License-Identifier: LGPL-2.1-or-later
// The product of a matrix and a transposed one
// data: m=64 n=64 k=64 alpha=1.5 beta=0.5
// data: m=128 n=128 k=128 alpha=1.5 beta=0.5
// data: m=128 n=160 k=96 alpha=1.5 beta=0.5
// data: m=256 n=256 k=256 alpha=1.5 beta=0.5
// data: m=512 n=512 k=128 alpha=1.5 beta=0.5
// data: m=512 n=512 k=512 alpha=1.5 beta=0.5
// data: m=1024 n=512 k=256 alpha=1.5 beta=0.5
// data: m=1024 n=1024 k=256 alpha=1.5 beta=0.5
// data: m=1024 n=1024 k=1024 alpha=1.5 beta=0.5
// random: m=1..40 n=1..40 k=1..40 alpha=-2..2 beta=-2..2
void sgemm(int m, int n, int k, float alpha, float beta, const float A[m][k], const float B[n][k],
           float C[restrict m][n]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int l = 0; l < k; l++) sum += A[i][l] * B[j][l];
      C[i][j] = beta * C[i][j] + alpha * sum;
    }
}
