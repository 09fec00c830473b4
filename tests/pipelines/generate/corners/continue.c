// SPDX-License-Identifier: LGPL-2.1-or-later
// Loops that count down and iterations that end early
// data: w=30 h=20 level=9
// random: w=1..40 h=1..30 level=0..60
int continue_down(int w, int h, int level, const int *restrict in, int *restrict out, int *restrict next) {
  int count = 0;
#pragma omp parallel for
  for (int y = h - 1; y >= 0; y--)
    for (int x = w; x > 0; --x) {
      if (in[y * w + x - 1] < level) continue;
      int level = 0;
      for (int k = 0; k < 5; k++) {
        if (k == x % 3) continue;
        level += k;
      }
      out[y * w + x - 1] = level;
    }
#pragma omp parallel for reduction(+ : count)
  for (int i = 0; i < w * h; i++) {
    if (in[i] % 2) continue;
    count += in[i];
  }
#pragma omp parallel for
  for (int i = 0; i < w * h; i++) {
    next[i] = 1;
    if (in[i] > level) continue;
    next[i] += 2;
    if (in[i] < level / 2) continue;
    next[i] += 3;
  }
  return count;
}
