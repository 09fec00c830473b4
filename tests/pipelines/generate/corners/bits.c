// SPDX-License-Identifier: LGPL-2.1-or-later
// Reductions that are no sums
// data: n=50
// random: n=1..300
int bits(int n, const int a[n]) {
  int every = -1, any = 64, odd = 3, least = 1000;
#pragma omp parallel for reduction(& : every) reduction(| : any) reduction(^ : odd) reduction(min : least)
  for (int i = 0; i < n; i++) {
    every &= a[i];
    any |= a[i];
    odd ^= a[i];
    least = a[i] < least ? a[i] : least;
  }
  return every + 2 * any + 3 * odd + 5 * least;
}
