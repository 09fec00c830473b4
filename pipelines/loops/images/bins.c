// SPDX-License-Identifier: LGPL-2.1-or-later
// A histogram of 64 bins in a flat array
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
#define BINS 64

void bins(const unsigned char *restrict in, int *restrict count, int w, int h) {
#pragma omp parallel for reduction(+ : count[:BINS])
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) count[in[y * w + x] * BINS / 256]++;
}
