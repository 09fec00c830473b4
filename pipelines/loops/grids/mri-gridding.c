// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples spread over the cells of a grid near them
// data: n=256 cells=64
// data: n=512 cells=128
// data: n=1024 cells=256
// data: n=2048 cells=512
// data: n=4096 cells=1024
// data: n=8192 cells=2048
// random: n=1..9 cells=1..9
// refused: 16:13: 'omp critical' has no counterpart in a stage: write 'omp parallel for', with a reduction for what iterations share
// Which cell is written is known when the place of the sample is read.
void mri_gridding(int n, int cells, const float sample[n], const float place[n], float grid[restrict cells]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const int cell = (int)(place[i] * (cells - 1));
#pragma omp critical
    grid[cell] += sample[i];
  }
}
