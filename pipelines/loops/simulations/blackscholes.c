// SPDX-License-Identifier: LGPL-2.1-or-later
// Prices of European options by Black and Scholes
// data: n=16384 rate=0.02 sigma=0.3
// data: n=65536 rate=0.02 sigma=0.3
// data: n=131072 rate=0.02 sigma=0.3
// data: n=262144 rate=0.02 sigma=0.3
// data: n=524288 rate=0.02 sigma=0.3
// data: n=1048576 rate=0.02 sigma=0.3
// data: n=2097152 rate=0.02 sigma=0.3
// data: n=4194304 rate=0.02 sigma=0.3
// data: n=16777216 rate=0.02 sigma=0.3
// random: n=1..3000 rate=0.01..0.05 sigma=0.1..0.5
// values: price=5..30 strike=5..30 years=0.25..5
#include <math.h>

static float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail = 0.39894228f * expf(-0.5f * d * d) * k *
                     (0.31938153f + k * (-0.35656378f + k * (1.78147794f + k * (-1.82125598f + k * 1.33027443f))));
  return d > 0.0f ? 1.0f - tail : tail;
}

void blackscholes(int n, float rate, float sigma, const float price[n], const float strike[n],
                  const float years[n], float call[restrict n], float put[restrict n]) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    const float root = sqrtf(years[i]);
    const float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * sigma * sigma) * years[i]) / (sigma * root);
    const float d2 = d1 - sigma * root;
    const float discount = expf(-rate * years[i]);
    call[i] = price[i] * normal(d1) - strike[i] * discount * normal(d2);
    put[i] = strike[i] * discount * (1.0f - normal(d2)) - price[i] * (1.0f - normal(d1));
  }
}
