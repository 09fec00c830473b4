// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
// Types that C converts into each other
// data: n=64 m=3
// random: n=1..200 m=1..9
void mixed_types(int n, int m, const float a[n], const int k[n], const unsigned char u[n], float b[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const bool above = a[i] > 0.25f, any = k[i];
    const char level = (char)(u[i] - 128);
    const int8_t small = (int8_t)(k[i] - 50);
    const uint16_t wide = (uint16_t)(k[i] * 600);
    const unsigned count = k[i] - 300;
    const size_t place = i;
    float sum = sqrtf(i) + sqrtf(u[i]) + powf(2, m) + fmaf(i, 2, a[i]) + hypotf(m, 4) + cbrtf(u[i]);
    sum += fmaxf(m, k[i]) - fminf(a[i], 1) + fabsf(k[i] - 50) + abs(u[i] - 99) + abs(a[i] * 3) + roundf(m);
    sum += fmodf(k[i], 7) + copysignf(m, a[i]) + asinf(a[i]) + acosf(a[i]) + coshf(a[i]) + log10f(k[i] + 1);
    sum += k[i] / 3 + (k[i] - 50) % 7 + (u[i] << 2) + ((k[i] - 50) >> 1) + (1 << (i & 7)) + i / (float)m;
    sum += level + small + wide * 0.001f + (count > 5) + place + above + 2 * any + !k[i] + (~u[i] & 15);
    b[i] = any ? sum : a[i] < INFINITY ? u[i] : 0.5f;
  }
}
