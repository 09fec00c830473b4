// SPDX-License-Identifier: LGPL-2.1-or-later
// Every third element, and every second one
// data: n=50 m=20
// random: n=3..200 m=1..60
void steps(int n, int m, const int a[n], int b[restrict n], int c[restrict 2 * m + 1]) {
#pragma omp parallel for
  for (int i = 2; i < n; i += 3) b[i] = a[i - 2] - a[i];
#pragma omp parallel for
  for (int i = 0; i < m; i++) c[2 * i + 1] = i;
}
