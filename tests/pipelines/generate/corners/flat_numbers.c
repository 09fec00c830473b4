// SPDX-License-Identifier: LGPL-2.1-or-later
// Flat arrays whose rows are numbers: other rows, pixels of three bytes, half of the size
// data: w=30 h=20
// random: w=2..40 h=2..30
void flat_numbers(int w, int h, const unsigned char *restrict rgb, const int in[h * w],
                  float *restrict gray, int *restrict half, int mirrored[restrict h * w]) {
  int ow = w / 2;
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const int at = (y * w + x) * 3;
      gray[y * w + x] = (rgb[at] + rgb[at + 1] + rgb[at + 2]) / 3.0f;
    }
#pragma omp parallel for
  for (int y = 0; y < h / 2; y++)
    for (int x = 0; x < ow; x++) half[y * ow + x] = in[2 * y * w + 2 * x] + in[(2 * y + 1) * w + 2 * x + 1];
#pragma omp parallel for collapse(2)
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int near = x + 1;
      if (near >= w) near = w - 1;
      mirrored[y * w + (w - 1 - x)] = in[(h - 1 - y) * w + x] + in[y * w + near];
    }
}
