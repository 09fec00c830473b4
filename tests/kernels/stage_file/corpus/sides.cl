// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE own
//!PARAM on bool true
//!READ luma
//!READ cb
//!WRITE luma
//!MAP
luma = on ? cb(0, 0) : luma(0, 0);
//!CPU
luma = 1;
//!DEVICE
luma = 1;
//!WRITE boxes float32 shape=4,5 kept as=other
//!MAP
boxes = boxes_before[0];
//!REGIONS boxes label=thing
