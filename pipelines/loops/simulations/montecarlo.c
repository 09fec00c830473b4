// SPDX-License-Identifier: LGPL-2.1-or-later
// Option prices as means over the same random paths
// data: n=256 paths=256 rate=0.02 sigma=0.3
// data: n=1024 paths=256 rate=0.02 sigma=0.3
// data: n=4096 paths=256 rate=0.02 sigma=0.3
// data: n=16384 paths=256 rate=0.02 sigma=0.3
// data: n=1024 paths=1024 rate=0.02 sigma=0.3
// data: n=4096 paths=1024 rate=0.02 sigma=0.3
// data: n=16384 paths=1024 rate=0.02 sigma=0.3
// data: n=256 paths=16384 rate=0.02 sigma=0.3
// data: n=1024 paths=8192 rate=0.02 sigma=0.3
// random: n=1..200 paths=1..60 rate=0.01..0.05 sigma=0.1..0.5
// values: price=5..30 strike=5..30 years=0.25..5 draw=-3..3
#include <math.h>

void montecarlo(int n, int paths, float rate, float sigma, const float price[n], const float strike[n],
                const float years[n], const float draw[paths], float value[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float drift = (rate - 0.5f * sigma * sigma) * years[i];
    const float spread = sigma * sqrtf(years[i]);
    float sum = 0.0f;
    for (int p = 0; p < paths; p++) {
      const float gain = price[i] * expf(drift + spread * draw[p]) - strike[i];
      if (gain > 0.0f) sum += gain;
    }
    value[i] = expf(-rate * years[i]) * sum / paths;
  }
}
