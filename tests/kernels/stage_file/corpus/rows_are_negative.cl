// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE own
//!READ a int32 shape=46341,46341,1
//!WRITE to uint8 shape=46341,46341,1
//!MAP
to = a[x];
