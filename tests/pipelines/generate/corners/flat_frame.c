// SPDX-License-Identifier: LGPL-2.1-or-later
// Flat arrays with the frame's size: rows follow from the indices
// data: w=30 h=20
// random: w=1..70 h=1..30
void flat_frame(const unsigned char *restrict in, const float weights[9], float *restrict out,
                int *restrict sums, int w, int h) {
#pragma omp parallel for
  for (int y = 1; y < h - 1; y++) {
    const int row = y * w;
    for (int x = 1; x < w - 1; x++) {
      float sum = 0;
      for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
          sum += weights[3 * v + u + 4] * in[(y + v) * w + x + u];
      out[row + x] = sum + in[row - w + x];
    }
  }
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 2; x <= w; x++) sums[y * w + x - 1] += 2 * in[x - 2 + w * y];
}
