// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE own
//!READ luma
//!WRITE to uint8 shape=65536,65536,65536,65536
//!MAP
to = 1;
