// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE own
//!READ luma halo=1
//!WRITE to int32 halo=64
//!LOOP 10000 settle
to = pass ? to(64, 64) : luma(1, 1);
again = pass < 3;
