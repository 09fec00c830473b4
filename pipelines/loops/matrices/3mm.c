// SPDX-License-Identifier: LGPL-2.1-or-later
// A product of four matrices
// data: ni=64 nj=64 nk=64 nl=64 nm=64
// data: ni=96 nj=96 nk=96 nl=96 nm=96
// data: ni=128 nj=128 nk=128 nl=128 nm=128
// data: ni=192 nj=192 nk=192 nl=192 nm=192
// data: ni=256 nj=256 nk=256 nl=256 nm=256
// data: ni=384 nj=384 nk=384 nl=384 nm=384
// data: ni=512 nj=512 nk=512 nl=512 nm=512
// data: ni=768 nj=768 nk=768 nl=768 nm=768
// data: ni=1024 nj=1024 nk=1024 nl=1024 nm=1024
// random: ni=1..25 nj=1..25 nk=1..25 nl=1..25 nm=1..25
void three_mm(int ni, int nj, int nk, int nl, int nm, const float A[ni][nk], const float B[nk][nj],
              const float C[nj][nm], const float D[nm][nl], float G[restrict ni][nl]) {
  float E[ni][nj], F[nj][nl];
#pragma omp parallel for
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      E[i][j] = 0.0f;
      for (int k = 0; k < nk; k++) E[i][j] += A[i][k] * B[k][j];
    }
#pragma omp parallel for
  for (int i = 0; i < nj; i++)
    for (int j = 0; j < nl; j++) {
      F[i][j] = 0.0f;
      for (int k = 0; k < nm; k++) F[i][j] += C[i][k] * D[k][j];
    }
#pragma omp parallel for
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      G[i][j] = 0.0f;
      for (int k = 0; k < nj; k++) G[i][j] += E[i][k] * F[k][j];
    }
}
