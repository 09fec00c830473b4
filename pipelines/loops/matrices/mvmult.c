// SPDX-License-Identifier: LGPL-2.1-or-later
// A matrix times a vector
// data: n=128 m=128
// data: n=256 m=256
// data: n=512 m=512
// data: n=1024 m=1024
// data: n=2048 m=2048
// data: n=4096 m=256
// data: n=256 m=4096
// data: n=4096 m=1024
// data: n=1024 m=4096
// random: n=1..90 m=1..90
void mvmult(int n, int m, const float A[n][m], const float x[m], float y[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 0.0f;
    for (int j = 0; j < m; j++) sum += A[i][j] * x[j];
    y[i] = sum;
  }
}
