// SPDX-License-Identifier: LGPL-2.1-or-later
// A matrix and its transpose times vectors
// data: n=64
// data: n=96
// data: n=128
// data: n=192
// data: n=256
// data: n=384
// data: n=512
// data: n=768
// data: n=1024
// random: n=1..80
void mvt(int n, float x1[restrict n], float x2[restrict n], const float y1[n], const float y2[n],
         const float A[n][n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x1[i] = x1[i] + A[i][j] * y1[j];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x2[i] = x2[i] + A[j][i] * y2[j];
}
