// SPDX-License-Identifier: LGPL-2.1-or-later
// Local contrast: the distance from the mean of 7 by 7 pixels in standard deviations
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
#include <math.h>
#define RADIUS 3

void contrast(const float *restrict in, float *restrict out, int w, int h) {
#pragma omp parallel for
  for (int y = RADIUS; y < h - RADIUS; y++)
    for (int x = RADIUS; x < w - RADIUS; x++) {
      float sum = 0, squares = 0;
      int count = 0;
      for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
          const float v = in[(y + dy) * w + x + dx];
          sum += v;
          squares += v * v;
          count++;
        }
      const float mean = sum / count;
      const float variance = fmaxf(squares / count - mean * mean, 0.0f);
      out[y * w + x] = (in[y * w + x] - mean) / sqrtf(variance + 0.01f);
    }
}
