// SPDX-License-Identifier: LGPL-2.1-or-later
// The product of two matrices, added to a third one
// data: ni=64 nj=64 nk=64 alpha=1.5 beta=1.2
// data: ni=96 nj=96 nk=96 alpha=1.5 beta=1.2
// data: ni=128 nj=128 nk=128 alpha=1.5 beta=1.2
// data: ni=192 nj=192 nk=192 alpha=1.5 beta=1.2
// data: ni=256 nj=256 nk=256 alpha=1.5 beta=1.2
// data: ni=384 nj=384 nk=384 alpha=1.5 beta=1.2
// data: ni=512 nj=512 nk=512 alpha=1.5 beta=1.2
// data: ni=768 nj=768 nk=768 alpha=1.5 beta=1.2
// data: ni=1024 nj=1024 nk=1024 alpha=1.5 beta=1.2
// random: ni=1..40 nj=1..50 nk=1..60 alpha=-2..2 beta=-2..2
void gemm(int ni, int nj, int nk, float alpha, float beta, float C[restrict ni][nj],
          const float A[ni][nk], const float B[nk][nj]) {
#pragma omp parallel for
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      C[i][j] *= beta;
      for (int k = 0; k < nk; k++) C[i][j] += alpha * A[i][k] * B[k][j];
    }
}
