// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE motion Histogram of how far levels are from those of the frame before
//!READ luma
//!WRITE last uint8 kept
//!WRITE change uint8 private
//!MAP
change = frame > 0 ? abs(luma(0,0) - last(0,0)) : 0;
last = luma(0,0);
//!READ change
//!WRITE bins int32 shape=16
//!REDUCE
bins[change(0,0) / 16] += 1;
