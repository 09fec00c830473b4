// SPDX-License-Identifier: LGPL-2.1-or-later
// Functions of floats that are given whole numbers
// data: n=20
// random: n=1..90
#include <math.h>
#include <stdlib.h>

#define LEAST 3
void whole_arguments(int n, const unsigned char a[n], float b[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    b[i] = fminf(200, fmaxf(LEAST, a[i])) + sqrtf(abs(a[i] - i)) + fabsf(2 * i - 3);
}
