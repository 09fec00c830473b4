// SPDX-License-Identifier: LGPL-2.1-or-later
// The largest absolute value, and no less than a floor
// data: n=16384 least=0.25
// data: n=65536 least=0.25
// data: n=131072 least=0.25
// data: n=262144 least=0.25
// data: n=524288 least=0.25
// data: n=1048576 least=0.25
// data: n=2097152 least=0.25
// data: n=4194304 least=0.25
// data: n=16777216 least=0.25
// random: n=1..3000 least=0..1.5
#include <math.h>

float peak(int n, float least, const float a[n]) {
  float most = least;
#pragma omp parallel for reduction(max : most)
  for (int i = 0; i < n; i++) {
    if (fabsf(a[i]) > most) most = fabsf(a[i]);
  }
  return most;
}
