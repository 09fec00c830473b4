// SPDX-License-Identifier: LGPL-2.1-or-later
// The discrete cosine transform of blocks of 8 by 8
// data: bh=8 bw=8
// data: bh=16 bw=16
// data: bh=30 bw=40
// data: bh=32 bw=32
// data: bh=60 bw=80
// data: bh=64 bw=64
// data: bh=90 bw=160
// data: bh=128 bw=128
// data: bh=135 bw=240
// random: bh=1..5 bw=1..6
static const float basis[8][8] = {
    {0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f},
    {0.49039264f, 0.41573481f, 0.27778512f, 0.09754516f, -0.09754516f, -0.27778512f, -0.41573481f, -0.49039264f},
    {0.46193977f, 0.19134172f, -0.19134172f, -0.46193977f, -0.46193977f, -0.19134172f, 0.19134172f, 0.46193977f},
    {0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, 0.27778512f, 0.49039264f, 0.09754516f, -0.41573481f},
    {0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f, 0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f},
    {0.27778512f, -0.49039264f, 0.09754516f, 0.41573481f, -0.41573481f, -0.09754516f, 0.49039264f, -0.27778512f},
    {0.19134172f, -0.46193977f, 0.46193977f, -0.19134172f, -0.19134172f, 0.46193977f, -0.46193977f, 0.19134172f},
    {0.09754516f, -0.27778512f, 0.41573481f, -0.49039264f, 0.49039264f, -0.41573481f, 0.27778512f, -0.09754516f}};

void dct(int bh, int bw, const float in[8 * bh][8 * bw], float out[restrict 8 * bh][8 * bw]) {
#pragma omp parallel for collapse(2)
  for (int by = 0; by < bh; by++)
    for (int bx = 0; bx < bw; bx++)
      for (int v = 0; v < 8; v++)
        for (int u = 0; u < 8; u++) {
          float sum = 0.0f;
          for (int k = 0; k < 8; k++)
            for (int l = 0; l < 8; l++) sum += basis[v][k] * basis[u][l] * in[8 * by + k][8 * bx + l];
          out[8 * by + v][8 * bx + u] = sum;
        }
}
