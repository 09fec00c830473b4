// SPDX-License-Identifier: LGPL-2.1-or-later
// Covariances of all pairs of columns
// data: n=64 m=64
// data: n=96 m=96
// data: n=128 m=128
// data: n=192 m=192
// data: n=256 m=256
// data: n=384 m=384
// data: n=512 m=512
// data: n=768 m=768
// data: n=1024 m=1024
// random: n=2..50 m=1..50
void covariance(int n, int m, const float data[n][m], float cov[restrict m][m]) {
  float mean[m], centred[n][m];
#pragma omp parallel for
  for (int j = 0; j < m; j++) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += data[i][j];
    mean[j] = sum / n;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) centred[i][j] = data[i][j] - mean[j];
#pragma omp parallel for
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      float sum = 0.0f;
      for (int k = 0; k < n; k++) sum += centred[k][i] * centred[k][j];
      cov[i][j] = sum / (n - 1.0f);
    }
}
