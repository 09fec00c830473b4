// SPDX-License-Identifier: LGPL-2.1-or-later
// Arithmetic of bytes, which begin again at 0
// data: n=50
// random: n=1..300
void bytes(int n, const unsigned char a[n], unsigned char b[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    b[i] = a[i];
    b[i] += 200;
    b[i] = b[i] >> 1;
    b[i]--;
  }
}
