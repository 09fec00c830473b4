// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdint.h>
// Pointers to rows, elements and ends of arrays
// data: w=7 h=5
// random: w=1..30 h=1..20
#define ROW(y) (in + (y) * w)
int pointers(const uint8_t *restrict in, const float *restrict gains, float *restrict out, int w, int h) {
  int total = 0;
  const uint8_t *end = in + w * h;
#pragma omp parallel for
  for (int y = 1; y < h; y++) {
    const uint8_t *row = ROW(y), *above = row - w;
    const float *g = (const float *)&gains[y * w];
    float *o = &out[y * w];
    for (int x = 0; x < w; x++) o[x] = g[x] * (row[x] - *(above + x));
  }
#pragma omp parallel for reduction(+ : total)
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const uint8_t *p = &in[y * w + x];
      total += *p;
      if (p + 1 < end) total += 1;
    }
  return total;
}
