// SPDX-License-Identifier: LGPL-2.1-or-later
// Accelerations of bodies that attract each other
// data: n=128
// data: n=256
// data: n=512
// data: n=1024
// data: n=2048
// data: n=4096
// data: n=8192
// data: n=12288
// data: n=16384
// random: n=1..150
// values: mass=0..1
#include <math.h>

void nbody(int n, const float px[n], const float py[n], const float mass[n], float ax[restrict n],
           float ay[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sx = 0.0f, sy = 0.0f;
    for (int j = 0; j < n; j++) {
      const float dx = px[j] - px[i], dy = py[j] - py[i];
      const float square = dx * dx + dy * dy + 0.01f;
      const float pull = mass[j] / (square * sqrtf(square));
      sx += pull * dx;
      sy += pull * dy;
    }
    ax[i] = sx;
    ay[i] = sy;
  }
}
