// SPDX-License-Identifier: LGPL-2.1-or-later
// Variables in clauses instead of the loops
// data: n=20 m=10
// random: n=1..60 m=1..20
void privates(int n, int m, const int a[n][m], int sum[restrict n]) {
  int i = 0, j, s;
#pragma omp parallel for private(j, s) default(shared) num_threads(4)
  for (i = 0; i < n; i++) {
    s = 0;
    for (j = m - 1; j >= 0; j--) s = 2 * s % 1000 + a[i][j];
    sum[i] = s;
  }
}
