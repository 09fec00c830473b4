// SPDX-License-Identifier: LGPL-2.1-or-later
// Two products of matrices, one after the other
// data: ni=64 nj=64 nk=64 nl=64 alpha=1.5 beta=1.2
// data: ni=96 nj=96 nk=96 nl=96 alpha=1.5 beta=1.2
// data: ni=128 nj=128 nk=128 nl=128 alpha=1.5 beta=1.2
// data: ni=192 nj=192 nk=192 nl=192 alpha=1.5 beta=1.2
// data: ni=256 nj=256 nk=256 nl=256 alpha=1.5 beta=1.2
// data: ni=384 nj=384 nk=384 nl=384 alpha=1.5 beta=1.2
// data: ni=512 nj=512 nk=512 nl=512 alpha=1.5 beta=1.2
// data: ni=768 nj=768 nk=768 nl=768 alpha=1.5 beta=1.2
// data: ni=1024 nj=1024 nk=1024 nl=1024 alpha=1.5 beta=1.2
// random: ni=1..30 nj=1..30 nk=1..30 nl=1..30 alpha=-2..2 beta=-2..2
void two_mm(int ni, int nj, int nk, int nl, float alpha, float beta, const float A[ni][nk],
            const float B[nk][nj], const float C[nj][nl], float D[restrict ni][nl]) {
  float product[ni][nj];
#pragma omp parallel for
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      product[i][j] = 0.0f;
      for (int k = 0; k < nk; k++) product[i][j] += alpha * A[i][k] * B[k][j];
    }
#pragma omp parallel for
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      D[i][j] *= beta;
      for (int k = 0; k < nj; k++) D[i][j] += product[i][k] * C[k][j];
    }
}
