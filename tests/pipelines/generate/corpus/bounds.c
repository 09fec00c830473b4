// SPDX-License-Identifier: LGPL-2.1-or-later
#define N 4611686018427387904
int own(int n, const int a[n]) {
  int s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = -N; i < N * 4; i += 3) s += a[i * 4 - N];
  return s;
}
