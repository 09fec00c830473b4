// SPDX-License-Identifier: LGPL-2.1-or-later
// A recursive filter along rows
// data: h=64 w=64
// data: h=128 w=128
// data: h=256 w=256
// data: h=512 w=512
// data: h=1024 w=1024
// data: h=2048 w=2048
// random: h=1..9 w=1..9
// refused: 18:7: one iteration writes several elements of 'out', and 'before' goes from one to the next: compute it from the loops' variables
// Each element follows from the one before it in its row.
void deriche(int h, int w, const float in[h][w], float out[restrict h][w]) {
#pragma omp parallel for
  for (int i = 0; i < h; i++) {
    float before = 0.0f;
    for (int j = 0; j < w; j++) {
      before = 0.4f * in[i][j] + 0.6f * before;
      out[i][j] = before;
    }
  }
}
