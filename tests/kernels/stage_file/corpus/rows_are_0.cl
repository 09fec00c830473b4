// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE own
//!READ luma
//!WRITE to uint8 shape=1048576,1048576,4096,1
//!REDUCE
to[0] = 1;
