// SPDX-License-Identifier: LGPL-2.1-or-later
// Variance of numbers
// data: n=16384
// data: n=65536
// data: n=131072
// data: n=262144
// data: n=524288
// data: n=1048576
// data: n=2097152
// data: n=4194304
// data: n=16777216
// random: n=2..5000
float variance(int n, const float a[n]) {
  float sum = 0.0f, squares = 0.0f;
#pragma omp parallel for reduction(+ : sum, squares)
  for (int i = 0; i < n; i++) {
    sum += a[i];
    squares += a[i] * a[i];
  }
  const float mean = sum / n;
  return squares / n - mean * mean;
}
