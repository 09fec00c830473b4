// SPDX-License-Identifier: LGPL-2.1-or-later
// Flat arrays, element by element
// data: w=30 h=20 level=9
// random: w=1..70 h=1..30 level=0..40
void flat_elements(int w, int h, int level, const int *in, int out[restrict w * h]) {
  const int n = w * h;
#pragma omp parallel for
  for (int i = 0; i < n; i++) out[i] = in[i] > level ? i % w : i / w;
}
