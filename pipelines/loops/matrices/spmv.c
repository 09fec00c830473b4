// SPDX-License-Identifier: LGPL-2.1-or-later
// A sparse matrix, as many elements in each row, times a vector
// data: n=1024 m=1024 per_row=8
// data: n=4096 m=4096 per_row=8
// data: n=16384 m=16384 per_row=8
// data: n=65536 m=65536 per_row=8
// data: n=1024 m=1024 per_row=32
// data: n=4096 m=4096 per_row=32
// data: n=16384 m=16384 per_row=32
// data: n=65536 m=65536 per_row=32
// data: n=262144 m=262144 per_row=16
// random: n=1..90 m=1..90 per_row=1..9
// values: column=0..m-1
void spmv(int n, int m, int per_row, const float element[n][per_row], const int column[n][per_row],
          const float x[m], float y[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 0.0f;
    for (int k = 0; k < per_row; k++) sum += element[i][k] * x[column[i][k]];
    y[i] = sum;
  }
}
