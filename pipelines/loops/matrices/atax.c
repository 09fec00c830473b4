// SPDX-License-Identifier: LGPL-2.1-or-later
// A matrix, then its transpose, times a vector
// data: n=64 m=64
// data: n=96 m=96
// data: n=128 m=128
// data: n=192 m=192
// data: n=256 m=256
// data: n=384 m=384
// data: n=512 m=512
// data: n=768 m=768
// data: n=1024 m=1024
// random: n=1..80 m=1..80
void atax(int n, int m, const float A[n][m], const float x[m], float y[restrict m]) {
  float product[n];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 0.0f;
    for (int j = 0; j < m; j++) sum += A[i][j] * x[j];
    product[i] = sum;
  }
#pragma omp parallel for
  for (int j = 0; j < m; j++) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += A[i][j] * product[i];
    y[j] = sum;
  }
}
