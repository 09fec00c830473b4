// SPDX-License-Identifier: LGPL-2.1-or-later
// How far two pictures are apart
// data: n=16384
// data: n=65536
// data: n=262144
// data: n=1048576
// data: n=4194304
// data: n=16777216
// random: n=1..3000
#include <stdlib.h>

void absdiff(const unsigned char *a, const unsigned char *b, unsigned char *restrict difference, int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) difference[i] = abs(a[i] - b[i]);
}
