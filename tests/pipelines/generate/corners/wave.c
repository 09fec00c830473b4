// SPDX-License-Identifier: LGPL-2.1-or-later
// Bounds and indices that move with a sequential loop
// data: steps=3 n=20
// random: steps=1..4 n=9..60
void wave(int steps, int n, int a[restrict n], int b[restrict n]) {
  for (int t = 2; t < steps + 2; t++) {
#pragma omp parallel for
    for (int i = t; i < n - t; i++) b[i] = a[i - t] + a[i + t] + t;
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] += b[i] % 7;
  }
}
