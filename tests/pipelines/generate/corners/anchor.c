// SPDX-License-Identifier: LGPL-2.1-or-later
// A reduction that does not read an element in every iteration
// data: n=50
// random: n=1..300
int anchor(int n, const int a[n], const int b[n]) {
  int sum = 7;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    sum += i > 0 ? a[i - 1] : 1000;
    sum += b[i];
  }
  return 2 * sum;
}
