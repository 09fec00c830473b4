// SPDX-License-Identifier: LGPL-2.1-or-later
// The fast Walsh transform, one power of two after the other
// data: bits=8 n=256
// data: bits=10 n=1024
// data: bits=12 n=4096
// data: bits=14 n=16384
// data: bits=16 n=65536
// data: bits=18 n=262144
// data: bits=19 n=524288
// data: bits=20 n=1048576
// data: bits=22 n=4194304
// random: bits=1..9 n=1..600
void fwt(int bits, int n, float a[restrict n]) {
  float b[n];
  for (int s = 0; s < bits; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      const int stride = 1 << s;
      const int other = (i ^ stride) < n ? i ^ stride : i;
      b[i] = (i & stride) ? a[other] - a[i] : a[i] + a[other];
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = b[i];
  }
}
