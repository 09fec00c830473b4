// SPDX-License-Identifier: LGPL-2.1-or-later
// Names that a stage takes for itself
// data: width=30 height=20 pass=3 a_name_of_more_than_forty_characters_that_is_long=0.5
// random: width=1..40 height=1..30 pass=-5..5 a_name_of_more_than_forty_characters_that_is_long=-1..1
#define TWICE(x) ((x) + (x))

static float clamp(float x, float y) { return x < y ? x : y; }

void names(int width, int height, float pass,
           float a_name_of_more_than_forty_characters_that_is_long, const float y[width][height],
           float x[restrict width][height]) {
#pragma omp parallel for
  for (int frame = 0; frame < width; frame++)
    for (int again = 0; again < height; again++) {
      float luma = y[frame][again] * a_name_of_more_than_forty_characters_that_is_long, constant = 2.0f;
      for (int mix = 0; mix < 3; mix++) {
        float y0 = mix, _x = 1.0f, tandem_x = 2.0f, x_ = 0.5f;  /* //!MAP */
        luma += TWICE(luma) * 0.125f + y0 * constant * _x * tandem_x * x_;
      }
      x[frame][again] = clamp(luma, pass);
    }
}
