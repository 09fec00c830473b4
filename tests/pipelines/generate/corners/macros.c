// SPDX-License-Identifier: LGPL-2.1-or-later
// Macros for elements, indices, sizes and loops
// data: n=20 w=30
// random: n=1..40 w=1..30
#define SIDE 3
#define TAPS (2 * SIDE + 1)
#define LOW (-2)
#define width 4
#define SQ(v) ((v) * (v))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MIN3(a, b, c) MIN(MIN(a, b), c)
#define AT(y, x) in[(y)][(x)]
#define NEXT(v) v + 1
#define HERE [i][j]
#define NEXT_ROW y + 1
#define PIXELS                \
  for (int i = 0; i < n; i++) \
    for (int j = 0; j < w; j++)
#define SET(to, value) \
  do {                 \
    to = value;        \
  } while (0)
#define NOTHING

void macros(int n, int w, const int in[n][w], int out[restrict n][w], int sums[restrict n][w]) {
#pragma omp parallel for collapse(2)
  PIXELS NOTHING {
    const int y = i > 0 ? i - 1 : 0;
    out HERE = SQ(in[i][j] - SIDE) - -LOW + MIN3(AT(i, j), AT(y, j),
                                                 AT(NEXT_ROW < n ? NEXT_ROW : y, j)) * TAPS;
    SET(out HERE, (out HERE) + NEXT(2) * width);
  }
#pragma omp parallel for
  PIXELS {
    int taps[TAPS], sum = 0;
    for (int k = 0; k < TAPS; k++) taps[k] = MIN(NEXT(k), SIDE) - 1;
    for (int k = 0; k < TAPS; k++)
      sum += taps[k] * in[i][MIN(NEXT(j) + k, w) - 1];
    sums HERE = sum;
  }
}
