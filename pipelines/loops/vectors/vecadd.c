// SPDX-License-Identifier: LGPL-2.1-or-later
// The sum of two vectors
// data: n=16384
// data: n=65536
// data: n=131072
// data: n=262144
// data: n=524288
// data: n=1048576
// data: n=2097152
// data: n=4194304
// data: n=16777216
// random: n=1..5000
void vecadd(int n, const float a[n], const float b[n], float c[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}
