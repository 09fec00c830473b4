// SPDX-License-Identifier: LGPL-2.1-or-later
// The transpose of a matrix
// data: h=128 w=128
// data: h=240 w=320
// data: h=480 w=640
// data: h=512 w=512
// data: h=720 w=1280
// data: h=1024 w=1024
// data: h=1080 w=1920
// data: h=2048 w=2048
// data: h=2160 w=3840
// random: h=1..70 w=1..70
void transpose(int h, int w, const float in[h][w], float out[restrict w][h]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++) out[i][j] = in[j][i];
}
