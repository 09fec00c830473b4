// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels that are above the mean of the picture
// data: w=128 h=128
// data: w=320 h=240
// data: w=640 h=480
// data: w=1280 h=720
// data: w=1920 h=1080
// data: w=3840 h=2160
// random: w=1..60 h=1..50
void above_mean(const unsigned char *restrict in, unsigned char *restrict out, int w, int h) {
  int total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < w * h; i++) total += in[i];
  int mean = total / (w * h);
#pragma omp parallel for
  for (int i = 0; i < w * h; i++) out[i] = in[i] > mean ? 255 : 0;
}
