// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE sobel Edges of the luma by Sobel's operator
//!PARAM threshold int 128 0..2040 Least sum of both gradients that makes an edge (levels)
//!READ luma halo=1
//!WRITE edges uint8
//!MAP
int gx = luma(1,-1) - luma(-1,-1) + 2 * (luma(1,0) - luma(-1,0)) + luma(1,1) - luma(-1,1);
int gy = luma(-1,1) - luma(-1,-1) + 2 * (luma(0,1) - luma(0,-1)) + luma(1,1) - luma(1,-1);
ushort sum = abs(gx) + abs(gy);
edges = sum >= threshold ? 255 : 0;
