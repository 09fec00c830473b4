// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE background What differs from a running mean of the frames before
//!PARAM rate float 0.05 0..1 How fast the mean follows (share of the new frame)
//!PARAM threshold float 20 0..255 Least difference of what moves (levels)
//!READ luma
//!WRITE mean float32 kept tolerance=1e-5
//!WRITE moving uint8
//!MAP
mean = frame == 0 ? luma(0, 0) : mean(0, 0) + rate * (luma(0, 0) - mean(0, 0));
moving = fabs(luma(0, 0) - mean) > threshold ? 255 : 0;
