// SPDX-License-Identifier: LGPL-2.1-or-later
// A filter along a signal, where it lies inside
// data: n=16384 taps=16
// data: n=65536 taps=16
// data: n=262144 taps=16
// data: n=1048576 taps=16
// data: n=16384 taps=64
// data: n=65536 taps=64
// data: n=262144 taps=64
// data: n=1048576 taps=64
// data: n=65536 taps=256
// random: n=1..900 taps=1..20
void fir(int n, int taps, const float in[n + taps], const float weight[taps], float out[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 0.0f;
    for (int k = 0; k < taps; k++) sum += weight[k] * in[i + k];
    out[i] = sum;
  }
}
