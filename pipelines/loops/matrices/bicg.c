// SPDX-License-Identifier: LGPL-2.1-or-later
// Both products of a step of biconjugate gradients
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
void bicg(int n, int m, const float A[n][m], const float p[m], const float r[n], float q[restrict n],
          float s[restrict m]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    q[i] = 0.0f;
    for (int j = 0; j < m; j++) q[i] += A[i][j] * p[j];
  }
#pragma omp parallel for
  for (int j = 0; j < m; j++) {
    s[j] = 0.0f;
    for (int i = 0; i < n; i++) s[j] += r[i] * A[i][j];
  }
}
