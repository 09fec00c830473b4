// SPDX-License-Identifier: LGPL-2.1-or-later
// Scalar products of many pairs of short vectors
// data: pairs=64 length=256
// data: pairs=256 length=256
// data: pairs=1024 length=256
// data: pairs=4096 length=64
// data: pairs=4096 length=256
// data: pairs=16384 length=64
// data: pairs=256 length=4096
// data: pairs=64 length=16384
// data: pairs=1024 length=1024
// random: pairs=1..300 length=1..70
void scalarprod(int pairs, int length, const float a[pairs][length], const float b[pairs][length],
                float product[restrict pairs]) {
#pragma omp parallel for
  for (int p = 0; p < pairs; p++) {
    float sum = 0.0f;
    for (int k = 0; k < length; k++) sum += a[p][k] * b[p][k];
    product[p] = sum;
  }
}
