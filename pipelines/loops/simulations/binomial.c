// SPDX-License-Identifier: LGPL-2.1-or-later
// American call options by a binomial tree
// data: n=64 steps=64 rate=0.02 sigma=0.3
// data: n=256 steps=64 rate=0.02 sigma=0.3
// data: n=1024 steps=64 rate=0.02 sigma=0.3
// data: n=4096 steps=64 rate=0.02 sigma=0.3
// data: n=16384 steps=64 rate=0.02 sigma=0.3
// data: n=64 steps=128 rate=0.02 sigma=0.3
// data: n=256 steps=128 rate=0.02 sigma=0.3
// data: n=1024 steps=128 rate=0.02 sigma=0.3
// data: n=4096 steps=128 rate=0.02 sigma=0.3
// random: n=1..60 steps=1..20 rate=0.01..0.05 sigma=0.1..0.5
// values: price=5..30 strike=5..30 years=0.25..2
#include <math.h>

#define MOST_STEPS 128

void binomial(int n, int steps, float rate, float sigma, const float price[n], const float strike[n],
              const float years[n], float value[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float leaf[MOST_STEPS + 1];
    const float dt = years[i] / steps;
    const float up = expf(sigma * sqrtf(dt)), down = 1.0f / up;
    const float grow = expf(rate * dt);
    const float p = (grow - down) / (up - down), q = 1.0f - p;
    for (int k = 0; k <= steps; k++) {
      const float gain = price[i] * expf(sigma * sqrtf(dt) * (2 * k - steps)) - strike[i];
      leaf[k] = gain > 0.0f ? gain : 0.0f;
    }
    for (int level = steps; level > 0; level--)
      for (int k = 0; k < level; k++) leaf[k] = (p * leaf[k + 1] + q * leaf[k]) / grow;
    value[i] = leaf[0];
  }
}
