// SPDX-License-Identifier: LGPL-2.1-or-later
void own(int n, float *restrict b) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) { float *p = b + i, *q = p; p[-1] = *q; }
}
