// SPDX-License-Identifier: LGPL-2.1-or-later
// Alternating directions: each column is solved from top to bottom and back
// data: steps=4 n=64
// data: steps=4 n=128
// data: steps=4 n=256
// data: steps=4 n=512
// data: steps=4 n=1024
// data: steps=4 n=2048
// random: n=1..9
// refused: 18:7: one iteration writes several elements of 'p': give each a loop of its own, or write them in an inner loop that has nothing else
// A column is computed element after element: one iteration writes many.
void adi(int steps, int n, float u[restrict n][n], float v[restrict n][n], float p[restrict n][n],
         float q[restrict n][n]) {
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) {
      v[0][i] = 1.0f;
      p[i][0] = 0.0f;
      q[i][0] = v[0][i];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = 0.5f / (2.0f - 0.5f * p[i][j - 1]);
        q[i][j] = (u[j][i] + 0.5f * q[i][j - 1]) / (2.0f - 0.5f * p[i][j - 1]);
      }
    }
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      for (int j = n - 2; j >= 1; j--) v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
  }
}
