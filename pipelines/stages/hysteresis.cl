// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE hysteresis Strong edges, and weak ones that hang together with them
//!PARAM low int 150 0..2040 Least gradient of an edge that hangs together with a strong one (levels)
//!PARAM high int 400 0..2040 Least gradient of a strong edge (levels)
//!READ luma halo=1
//!WRITE strength int32 private
//!MAP
int gx = luma(1,-1) + 2*luma(1,0) + luma(1,1) - luma(-1,-1) - 2*luma(-1,0) - luma(-1,1);
int gy = luma(-1,1) + 2*luma(0,1) + luma(1,1) - luma(-1,-1) - 2*luma(0,-1) - luma(1,-1);
strength = abs(gx) + abs(gy);
//!READ strength
//!WRITE edges uint8 halo=1
//!LOOP 1000 settle
int near = 0;
for (int dy = -1; dy <= 1; ++dy)
  for (int dx = -1; dx <= 1; ++dx) near |= edges(dx, dy);
edges = strength(0, 0) >= high || (strength(0, 0) >= low && near) ? 255 : 0;
again = edges != edges(0, 0);
