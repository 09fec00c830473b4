// SPDX-License-Identifier: LGPL-2.1-or-later
// Darker towards the corners, with one index for both coordinates
// data: w=128 h=128 strength=0.75
// data: w=320 h=240 strength=0.75
// data: w=640 h=480 strength=0.75
// data: w=1280 h=720 strength=0.75
// data: w=1920 h=1080 strength=0.75
// data: w=3840 h=2160 strength=0.75
// random: w=1..60 h=1..50 strength=0..2
void vignette(const unsigned char *restrict in, unsigned char *restrict out, int w, int h, float strength) {
#pragma omp parallel for
  for (int i = 0; i < w * h; i++) {
    const int x = i % w, y = i / w;
    const float across = (x - w / 2) / (float)w, along = (y - h / 2) / (float)h;
    const float left = 1 - strength * (across * across + along * along);
    out[i] = left > 0 ? (unsigned char)(left * in[i]) : 0;
  }
}
