// SPDX-License-Identifier: LGPL-2.1-or-later
// A vector divided by its length
// data: n=16384
// data: n=65536
// data: n=131072
// data: n=262144
// data: n=524288
// data: n=1048576
// data: n=2097152
// data: n=4194304
// data: n=16777216
// random: n=1..4000
#include <math.h>

void normalise(int n, const float a[n], float unit[restrict n]) {
  float squares = 0.0f;
#pragma omp parallel for reduction(+ : squares)
  for (int i = 0; i < n; i++) squares += a[i] * a[i];
  const float length = sqrtf(squares) + 1e-6f;
#pragma omp parallel for
  for (int i = 0; i < n; i++) unit[i] = a[i] / length;
}
