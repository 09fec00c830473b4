// SPDX-License-Identifier: LGPL-2.1-or-later
// Gamma correction, element by element
// data: n=16384 gamma=2.2
// data: n=65536 gamma=2.2
// data: n=262144 gamma=2.2
// data: n=1048576 gamma=2.2
// data: n=4194304 gamma=2.2
// data: n=16777216 gamma=2.2
// random: n=1..3000 gamma=0.25..4
// values: in=0..1
#include <math.h>

void gamma_correction(const float *restrict in, float *restrict out, int n, float gamma) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) out[i] = powf(in[i], 1.0f / gamma);
}
