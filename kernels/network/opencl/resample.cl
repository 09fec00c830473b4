// SPDX-License-Identifier: LGPL-2.1-or-later
// Resamples rows and columns of images: see ResizeArguments. Built with RUN: pixels of a row that a
// work-item computes; ITEMS: work-items of a group.

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void resample(PARAMETERS) {
  const ResizeArguments a = ARGUMENTS(ResizeArguments);
  const int runs = (a.out_width + RUN - 1) / RUN;
  const int row = get_global_id(0) / runs;  // of all channels
  if (row >= a.channels * a.out_height) return;
  const int begin = (get_global_id(0) - row * runs) * RUN;
  const int channel = row / a.out_height, y = row - channel * a.out_height;
  const AxisEntry ey = ((__global const AxisEntry*)(constants + a.rows))[y];
  __global const float* image = first_input + a.input + (long)channel * a.in_height * a.in_width;
  __global const float* top = image + ey.first * a.in_width;
  __global const float* bottom = image + ey.second * a.in_width;
  __global float* output = output_memory + a.output + (long)row * a.out_width;
  __global const AxisEntry* columns = (__global const AxisEntry*)(constants + a.columns);
  for (int x = begin; x < min(begin + RUN, a.out_width); x += WIDTH) {
    const int n = min(WIDTH, a.out_width - x);
    float values[WIDTH];
    for (int i = 0; i < n; ++i) {
      const AxisEntry ex = columns[x + i];
      const float above = (1 - ex.weight) * top[ex.first] + ex.weight * top[ex.second];
      const float below = (1 - ex.weight) * bottom[ex.first] + ex.weight * bottom[ex.second];
      values[i] = (1 - ey.weight) * above + ey.weight * below;
    }
#if WIDTH == 1
    output[x] = activate(a.activation, values[0]);
#else
    for (int i = n; i < WIDTH; ++i) values[i] = 0;
    store_some(activate(a.activation, LOAD(0, values)), output + x, 1, n);
#endif
  }
}
