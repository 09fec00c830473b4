// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements that are written under conditions, and read afterwards
// data: n=50
// random: n=1..300
void conditions(int n, const int a[n], int b[restrict n], int c[restrict n]) {
  const int limit = 50;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] > limit) {
      b[i] = a[i];
    } else {
      a[i] % 3 == 0 && (c[i] = limit);
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] = b[i] + c[i];
}
