// SPDX-License-Identifier: LGPL-2.1-or-later
// A separable filter of radius 8, along rows and then along columns
// data: h=128 w=128
// data: h=240 w=320
// data: h=480 w=640
// data: h=512 w=512
// data: h=720 w=1280
// data: h=1024 w=1024
// data: h=1080 w=1920
// data: h=2048 w=2048
// data: h=2160 w=3840
// random: h=1..50 w=1..60
#define RADIUS 8

static const float weight[2 * RADIUS + 1] = {0.01f, 0.02f, 0.03f, 0.05f, 0.06f, 0.08f, 0.09f, 0.1f, 0.12f,
                                         0.1f, 0.09f, 0.08f, 0.06f, 0.05f, 0.03f, 0.02f, 0.01f};

void convsepr8(int h, int w, const float in[h][w], float out[restrict h][w]) {
  float rows[h][w];
#pragma omp parallel for
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      float sum = 0.0f;
      for (int k = -RADIUS; k <= RADIUS; k++)
        if (j + k >= 0 && j + k < w) sum += weight[k + RADIUS] * in[i][j + k];
      rows[i][j] = sum;
    }
#pragma omp parallel for
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      float sum = 0.0f;
      for (int k = -RADIUS; k <= RADIUS; k++)
        if (i + k >= 0 && i + k < h) sum += weight[k + RADIUS] * rows[i + k][j];
      out[i][j] = sum;
    }
}
