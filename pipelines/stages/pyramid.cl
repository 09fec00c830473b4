// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE pyramid A level of a Gaussian pyramid: blurred by 1 4 6 4 1 and half as large
constant float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
//!READ luma halo=2
//!WRITE level float32 size=1/2 tolerance=1e-6
//!MAP
float sum = 0;
for (int dy = -2; dy <= 2; ++dy)
  for (int dx = -2; dx <= 2; ++dx) sum += weights[dy + 2] * weights[dx + 2] * luma(dx, dy);
level = sum;
