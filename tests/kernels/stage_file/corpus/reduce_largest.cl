// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE own
//!READ a float32 shape=7
//!WRITE to float32 shape=65536
//!WRITE small int32 shape=1
//!REDUCE
to[x] += a[x];
small[0]++;
//!COMBINE
small[0] = small_other[0];
