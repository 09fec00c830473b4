// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE blobs Bright regions and their number; pixels that touch, corners included, are one
//!PARAM threshold int 200 0..255 Least level of a bright pixel
//!READ luma
//!WRITE label int32 halo=1
//!LOOP 10000 settle
// The largest number of a pixel in the region goes from neighbour to neighbour.
int most = luma(0,0) >= threshold ? y * width + x + 1 : 0;
if (most > 0 && pass > 0)
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) most = max(most, label(dx, dy));
again = pass == 0 || most != label(0,0);
label = most;
//!READ label
//!WRITE count int32 shape=1
//!REDUCE
count[0] += label(0,0) == y * width + x + 1;
