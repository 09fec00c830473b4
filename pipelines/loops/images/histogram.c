// SPDX-License-Identifier: LGPL-2.1-or-later
// How many pixels have each level
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
void histogram(int h, int w, const unsigned char in[h][w], int count[restrict 256]) {
#pragma omp parallel for reduction(+ : count[:256])
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) count[in[i][j]] += 1;
}
