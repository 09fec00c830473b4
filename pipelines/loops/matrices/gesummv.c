// SPDX-License-Identifier: LGPL-2.1-or-later
// The sum of two products of a matrix and a vector
// data: n=64 alpha=1.5 beta=1.2
// data: n=96 alpha=1.5 beta=1.2
// data: n=128 alpha=1.5 beta=1.2
// data: n=192 alpha=1.5 beta=1.2
// data: n=256 alpha=1.5 beta=1.2
// data: n=384 alpha=1.5 beta=1.2
// data: n=512 alpha=1.5 beta=1.2
// data: n=768 alpha=1.5 beta=1.2
// data: n=1024 alpha=1.5 beta=1.2
// random: n=1..80 alpha=-2..2 beta=-2..2
void gesummv(int n, float alpha, float beta, const float A[n][n], const float B[n][n], const float x[n],
             float y[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float one = 0.0f, other = 0.0f;
    for (int j = 0; j < n; j++) {
      one += A[i][j] * x[j];
      other += B[i][j] * x[j];
    }
    y[i] = alpha * one + beta * other;
  }
}
