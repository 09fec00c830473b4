// SPDX-License-Identifier: LGPL-2.1-or-later
// Jacobi's iteration in one dimension, to and fro between two arrays
// data: steps=10 n=4096
// data: steps=20 n=16384
// data: steps=50 n=16384
// data: steps=10 n=65536
// data: steps=20 n=65536
// data: steps=10 n=262144
// data: steps=20 n=262144
// data: steps=10 n=1048576
// data: steps=20 n=1048576
// random: steps=1..6 n=1..500
void jacobi_1d(int steps, int n, float A[restrict n], float B[restrict n]) {
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) B[i] = 0.33333f * (A[i - 1] + A[i] + A[i + 1]);
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) A[i] = 0.33333f * (B[i - 1] + B[i] + B[i + 1]);
  }
}
