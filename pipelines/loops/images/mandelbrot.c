// SPDX-License-Identifier: LGPL-2.1-or-later
// After how many steps points of the plane leave
// data: h=128 w=128 most=100
// data: h=240 w=320 most=100
// data: h=480 w=640 most=100
// data: h=512 w=512 most=100
// data: h=720 w=1280 most=100
// data: h=1024 w=1024 most=100
// data: h=1080 w=1920 most=100
// data: h=2048 w=2048 most=100
// data: h=2160 w=3840 most=100
// random: h=1..40 w=1..50 most=1..60
void mandelbrot(int h, int w, int most, int steps[restrict h][w]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      const float cr = 0.0078125f * j - 2.0f, ci = 0.0078125f * i - 1.0f;
      float re = 0.0f, im = 0.0f;
      int step = 0;
      while (step < most) {
        const float square = re * re - im * im + cr;
        im = 2.0f * re * im + ci;
        re = square;
        step++;
        if (re * re + im * im > 4.0f) break;
      }
      steps[i][j] = step;
    }
}
