// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums of all numbers up to each one, block by block
// data: blocks=64 length=64
// data: blocks=256 length=64
// data: blocks=1024 length=64
// data: blocks=64 length=256
// data: blocks=256 length=256
// data: blocks=1024 length=256
// data: blocks=4096 length=64
// data: blocks=4096 length=256
// data: blocks=2048 length=128
// random: blocks=1..30 length=1..40
void prefix(int blocks, int length, const int in[blocks][length], int out[restrict blocks][length]) {
  int total[blocks], before[blocks];
#pragma omp parallel for
  for (int b = 0; b < blocks; b++) {
    int sum = 0;
    for (int k = 0; k < length; k++) sum += in[b][k];
    total[b] = sum;
  }
#pragma omp parallel for
  for (int b = 0; b < blocks; b++) {
    int sum = 0;
    for (int c = 0; c < b; c++) sum += total[c];
    before[b] = sum;
  }
#pragma omp parallel for
  for (int b = 0; b < blocks; b++)
    for (int j = 0; j < length; j++) {
      int sum = before[b];
      for (int k = 0; k <= j; k++) sum += in[b][k];
      out[b][j] = sum;
    }
}
