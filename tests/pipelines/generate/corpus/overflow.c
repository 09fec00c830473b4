// SPDX-License-Identifier: LGPL-2.1-or-later
void own(int n, const float a[n], float b[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i * 9223372036854775807 + 9223372036854775807] = a[9223372036854775807 * i];
}
