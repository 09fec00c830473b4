// SPDX-License-Identifier: LGPL-2.1-or-later
// A flat array of three dimensions
// data: d=4 h=5 w=6
// random: d=1..9 h=1..9 w=1..9
void flat_volume(int d, int h, int w, const float *restrict in, float *restrict out) {
#pragma omp parallel for collapse(3)
  for (int z = 0; z < d; z++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        out[z * w * h + y * w + x] = 2 * in[(z * h + y) * w + x];
}
