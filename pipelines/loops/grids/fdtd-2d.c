// SPDX-License-Identifier: LGPL-2.1-or-later
// Electric and magnetic fields in two dimensions by finite differences
// data: steps=10 h=128 w=128
// data: steps=10 h=256 w=256
// data: steps=20 h=256 w=256
// data: steps=20 h=480 w=640
// data: steps=10 h=512 w=512
// data: steps=20 h=512 w=512
// data: steps=20 h=1024 w=1024
// data: steps=10 h=1080 w=1920
// data: steps=10 h=2160 w=3840
// random: steps=1..4 h=1..30 w=1..40
void fdtd_2d(int steps, int h, int w, float ex[restrict h][w], float ey[restrict h][w],
             float hz[restrict h][w]) {
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        if (i == 0) {
          ey[i][j] = t;
        } else {
          ey[i][j] = ey[i][j] - 0.5f * (hz[i][j] - hz[i - 1][j]);
        }
      }
#pragma omp parallel for
    for (int i = 0; i < h; i++)
      for (int j = 1; j < w; j++) ex[i][j] = ex[i][j] - 0.5f * (hz[i][j] - hz[i][j - 1]);
#pragma omp parallel for
    for (int i = 0; i < h - 1; i++)
      for (int j = 0; j < w - 1; j++)
        hz[i][j] = hz[i][j] - 0.7f * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}
