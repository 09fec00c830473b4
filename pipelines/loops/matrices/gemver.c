// SPDX-License-Identifier: LGPL-2.1-or-later
// Two updates of rank one and two products with vectors
// data: n=64 alpha=1.5 beta=1.2
// data: n=96 alpha=1.5 beta=1.2
// data: n=128 alpha=1.5 beta=1.2
// data: n=192 alpha=1.5 beta=1.2
// data: n=256 alpha=1.5 beta=1.2
// data: n=384 alpha=1.5 beta=1.2
// data: n=512 alpha=1.5 beta=1.2
// data: n=768 alpha=1.5 beta=1.2
// data: n=1024 alpha=1.5 beta=1.2
// random: n=1..60 alpha=-2..2 beta=-2..2
void gemver(int n, float alpha, float beta, float A[restrict n][n], const float u1[n], const float v1[n],
            const float u2[n], const float v2[n], float w[restrict n], float x[restrict n], const float y[n],
            const float z[n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x[i] = x[i] + beta * A[j][i] * y[j];
#pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = x[i] + z[i];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w[i] = w[i] + alpha * A[i][j] * x[j];
}
