// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE median Median of 3 by 3 pixels
uchar least(uchar a, uchar b, uchar c) { return min(min(a, b), c); }
uchar most(uchar a, uchar b, uchar c) { return max(max(a, b), c); }
uchar middle(uchar a, uchar b, uchar c) { return max(min(a, b), min(max(a, b), c)); }
//!READ luma halo=1
//!WRITE luma
//!MAP
// The median is the middle one of three: the most of the columns' least, the middle of their middles, and the least of
// their most.
#define OF_COLUMN(which, dx) which(luma(dx, -1), luma(dx, 0), luma(dx, 1))
uchar low = most(OF_COLUMN(least, -1), OF_COLUMN(least, 0), OF_COLUMN(least, 1));
uchar mid = middle(OF_COLUMN(middle, -1), OF_COLUMN(middle, 0), OF_COLUMN(middle, 1));
uchar high = least(OF_COLUMN(most, -1), OF_COLUMN(most, 0), OF_COLUMN(most, 1));
luma = middle(low, mid, high);
