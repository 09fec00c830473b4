// SPDX-License-Identifier: LGPL-2.1-or-later
// A product of part of a picture, over the inner loop too
// data: h=10 w=10
// random: h=1..30 w=1..30
// values: a=0.99..1.01
float product(int h, int w, const float a[h][w]) {
  float p = 2.0f;
#pragma omp parallel for reduction(* : p)
  for (int i = 1; i < h; i++)
    for (int j = 0; j < w - 1; j++) p *= a[i][j];
  return p;
}
