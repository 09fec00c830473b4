// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE histogram How many pixels have each level
//!READ luma
//!WRITE histogram int32 shape=256
//!REDUCE
histogram[luma(0, 0)] += 1;
