// SPDX-License-Identifier: LGPL-2.1-or-later
// Names that a stage takes for itself
// data: width=30 height=20 pass=3
// random: width=1..40 height=1..30 pass=-5..5
#define TWICE(x) ((x) + (x))

static float clamp(float x, float y) { return x < y ? x : y; }

void names(int width, int height, float pass, const float y[width][height], float x[restrict width][height]) {
#pragma omp parallel for
  for (int frame = 0; frame < width; frame++)
    for (int again = 0; again < height; again++) {
      float luma = y[frame][again], constant = 2.0f;
      for (int mix = 0; mix < 3; mix++) {
        float y0 = mix;  /* //!MAP */
        luma += TWICE(luma) * 0.125f + y0 * constant;
      }
      x[frame][again] = clamp(luma, pass);
    }
}
