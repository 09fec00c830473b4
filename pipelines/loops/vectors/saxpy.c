// SPDX-License-Identifier: LGPL-2.1-or-later
// A multiple of a vector added to another one
// data: n=16384 a=2.5
// data: n=65536 a=2.5
// data: n=131072 a=2.5
// data: n=262144 a=2.5
// data: n=524288 a=2.5
// data: n=1048576 a=2.5
// data: n=2097152 a=2.5
// data: n=4194304 a=2.5
// data: n=16777216 a=2.5
// random: n=1..5000 a=-3..3
void saxpy(int n, float a, const float x[n], float y[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}
