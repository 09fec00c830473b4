// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture upside down, from the last row to the first
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
void flip(const unsigned char *restrict in, unsigned char *restrict out, int w, int h) {
#pragma omp parallel for
  for (int y = h - 1; y >= 0; y--)
    for (int x = w - 1; x >= 0; --x) out[(h - 1 - y) * w + x] = in[y * w + x];
}
