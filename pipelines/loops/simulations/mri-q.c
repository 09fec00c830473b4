// SPDX-License-Identifier: LGPL-2.1-or-later
// The matrix Q of a non-Cartesian magnetic resonance image
// data: n=1024 samples=128
// data: n=4096 samples=128
// data: n=16384 samples=128
// data: n=32768 samples=128
// data: n=1024 samples=512
// data: n=4096 samples=512
// data: n=16384 samples=512
// data: n=32768 samples=1024
// data: n=262144 samples=256
// random: n=1..150 samples=1..30
#include <math.h>

void mri_q(int n, int samples, const float x[n], const float y[n], const float z[n],
           const float kx[samples], const float ky[samples], const float kz[samples],
           const float magnitude[samples], float real[restrict n], float imaginary[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float re = 0.0f, im = 0.0f;
    for (int k = 0; k < samples; k++) {
      const float angle = 6.2831853f * (kx[k] * x[i] + ky[k] * y[i] + kz[k] * z[i]);
      re += magnitude[k] * cosf(angle);
      im += magnitude[k] * sinf(angle);
    }
    real[i] = re;
    imaginary[i] = im;
  }
}
