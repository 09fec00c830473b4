// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE unsharp Sharper luma by an unsharp mask
//!PARAM amount float 1 0..4 Share of the detail that is added
//!READ luma halo=1
//!WRITE luma
//!MAP
int blurred = luma(-1,-1) + 2 * luma(0,-1) + luma(1,-1)
            + 2 * luma(-1,0) + 4 * luma(0,0) + 2 * luma(1,0)
            + luma(-1,1) + 2 * luma(0,1) + luma(1,1);
float sharp = luma(0,0) + amount * (luma(0,0) - blurred / 16.0);
luma = convert_uchar_sat_rte(sharp);
