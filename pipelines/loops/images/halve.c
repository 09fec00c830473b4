// SPDX-License-Identifier: LGPL-2.1-or-later
// Half the size: means of 2 by 2 pixels
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=2..60 h=2..50
void halve(const unsigned char *restrict in, unsigned char *restrict out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h / 2; y++)
    for (int x = 0; x < w / 2; x++) {
      const int at = 2 * y * w + 2 * x;
      out[y * (w / 2) + x] = (in[at] + in[at + 1] + in[at + w] + in[at + w + 1] + 2) / 4;
    }
}
