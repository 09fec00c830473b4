// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE life Conway's Game of Life, from the bright pixels of the first frame on
//!PARAM threshold int 128 0..255 Least level of a pixel that lives at first
//!READ luma
//!WRITE luma
//!WRITE alive uint8 kept halo=1
//!MAP
// A plane has its border outside of the frame, and there nothing lives.
int neighbours = 0;
for (int dy = -1; dy <= 1; ++dy)
  for (int dx = -1; dx <= 1; ++dx)
    if ((dx != 0 || dy != 0) && x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
      neighbours += alive(dx, dy);
bool lives = neighbours == 3 || (neighbours == 2 && alive(0,0) != 0);
if (frame == 0) lives = luma(0,0) >= threshold;
alive = lives;
luma = lives ? 255 : 0;
