// SPDX-License-Identifier: LGPL-2.1-or-later
// The least of 3 by 3 pixels, then the largest: what is smaller goes
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
void erode(int h, int w, const unsigned char in[h][w], unsigned char opened[restrict h][w]) {
  unsigned char least[h][w];
#pragma omp parallel for
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      int level = 255;
      for (int k = -1; k <= 1; k++)
        for (int l = -1; l <= 1; l++)
          if (i + k >= 0 && i + k < h && j + l >= 0 && j + l < w)
            if (in[i + k][j + l] < level) level = in[i + k][j + l];
      least[i][j] = level;
    }
#pragma omp parallel for
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      int level = 0;
      for (int k = -1; k <= 1; k++)
        for (int l = -1; l <= 1; l++)
          if (i + k >= 0 && i + k < h && j + l >= 0 && j + l < w)
            if (least[i + k][j + l] > level) level = least[i + k][j + l];
      opened[i][j] = level;
    }
}
