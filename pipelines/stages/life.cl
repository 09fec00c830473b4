// SPDX-License-Identifier: LGPL-2.1-or-later
//!STAGE life Conway's Game of Life, from the bright pixels of the first frame on
//!PARAM threshold int 128 0..255 Least level of a pixel that lives at first
//!READ luma
//!WRITE luma
//!WRITE alive uint8 kept halo=1
//!MAP
// Nothing lives outside of the frame, where a plane is as at its border. With & instead of && the cores compute vectors.
#define INSIDE(dx, dy) ((x + (dx) >= 0) & (x + (dx) < width) & (y + (dy) >= 0) & (y + (dy) < height))
#define CELL(dx, dy) (INSIDE(dx, dy) & alive(dx, dy))
uchar neighbours = CELL(-1, -1) + CELL(0, -1) + CELL(1, -1) + CELL(-1, 0) + CELL(1, 0)
                 + CELL(-1, 1) + CELL(0, 1) + CELL(1, 1);
uchar lives = (neighbours == 3) | ((neighbours == 2) & alive(0, 0));
if (frame == 0) lives = luma(0, 0) >= threshold;
alive = lives;
luma = lives ? 255 : 0;
