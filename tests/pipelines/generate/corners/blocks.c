// SPDX-License-Identifier: LGPL-2.1-or-later
// Blocks whose elements are written in another order, around an offset
// data: n=6
// random: n=1..9
void blocks(int n, const int a[12 * n + 5], int b[restrict 12 * n + 5]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int k = 1; k < 4; k++)
      for (int j = 0; j < 4; j++) b[12 * i + 3 * j + k + 2] = a[12 * i + 3 * j + k] * 10 + j;
}
