// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE own
//!READ luma
//!WRITE to float32 shape=1048576,256
//!MAP
to = x;
