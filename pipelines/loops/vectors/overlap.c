// SPDX-License-Identifier: LGPL-2.1-or-later
// A vector shifted, perhaps within itself
// data: n=64
// data: n=128
// data: n=256
// data: n=512
// data: n=1024
// data: n=2048
// random: n=1..9
// refused: 12:42: 'to', which is written, may overlap 'from': write restrict, as in *restrict to or to[restrict n]
// Nothing says that both arrays are apart.
void overlap(int n, const float from[n], float to[n]) {
#pragma omp parallel for
  for (int i = 1; i < n; i++) to[i] = from[i - 1];
}
