// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
// The forms in which a reduction may be written
// data: n=50
// random: n=1..300
#define MOST(a, b) ((a) > (b) ? (a) : (b))
float updates(int n, const float a[n], const int k[n]) {
  float sum = 1, most = -5, least = 3, high = 0, product = 1;
  int count = 0, rounded = 0, any = 0;
#pragma omp parallel for reduction(+ : sum, count, rounded) reduction(max : most, high) \
    reduction(min : least) reduction(* : product) reduction(| : any)
  for (int i = 0; i < n; i++) {
    sum = a[i] + sum - 0.5f;
    if (a[i] > 0) ++count;
    rounded -= (int)(3 * a[i]);
    if (k[i] % 3 == 0 && a[i] > most) {
      most = a[i];
    }
    high = MOST(high, 2 * a[i]);
    least = fminf(a[i], least);
    product = product * (1 + 0.01f * a[i]);
    any = k[i] | any;
  }
  return sum + most + 2 * least + count + 3 * rounded + high + product + any;
}
