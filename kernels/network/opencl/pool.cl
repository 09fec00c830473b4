// SPDX-License-Identifier: LGPL-2.1-or-later
// Largest or mean element of windows: see PoolArguments. A work-item computes WIDTH results of a row,
// or shares one with the others of its group. Built with ITEMS: work-items of a group.

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void pool(PARAMETERS) {
  const PoolArguments a = ARGUMENTS(PoolArguments);
  const int item = get_local_id(0);
  const int result = get_group_id(0) * (ITEMS / a.lanes) + item / a.lanes;
  const int lane = item % a.lanes;
  const int vectors = (a.out_width + WIDTH - 1) / WIDTH;
  const int row = result / vectors, x = (result - row * vectors) * WIDTH;
  const int channel = row / a.out_height, y = row - channel * a.out_height;
  const int top = y * a.stride_y - a.before_y, left = x * a.stride_x - a.before_x;
  const float start = a.average ? 0.0f : -INFINITY;
  Floats value = start;
  if (row < a.rows) {
    const long start_of_image = a.input + (long)channel * a.in_height * a.in_width;
    __global const float* image = first_input + start_of_image;
    for (int k = lane; k < a.kernel_y * a.kernel_x; k += a.lanes) {
      const int ky = k / a.kernel_x;
      const int from_y = top + ky * a.dilation_y;
      const int from_x = left + (k - ky * a.kernel_x) * a.dilation_x;
      if ((uint)from_y >= (uint)a.in_height) continue;
      const Floats v = load_row(image, from_y * a.in_width, from_x, a.stride_x, a.in_width,
                                -start_of_image, a.input_end - start_of_image, start);
      value = a.average ? value + v : fmax(value, v);
    }
  }
#if WIDTH == 1
  __local float shared[ITEMS];
  if (a.lanes > 1) {
    shared[item] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = ITEMS / 2; step > 0; step /= 2) {
      if (item < step) {
        const float v = shared[item + step];
        shared[item] = a.average ? shared[item] + v : fmax(shared[item], v);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    value = shared[0];
  }
#endif
  if (row >= a.rows || lane != 0) return;
  if (a.average) {
    // Places of the window inside the image, or inside image and padding.
    const int least = a.counts_padding ? -(1 << 28) : 0;
    const int bottom = a.in_height + (a.counts_padding ? a.after_y : 0);
    const int right = a.in_width + (a.counts_padding ? a.after_x : 0);
    int rows = 0;
    for (int k = 0; k < a.kernel_y; ++k) {
      const int from = top + k * a.dilation_y;
      rows += from >= least && from < bottom;
    }
    float places[WIDTH];
    for (int i = 0; i < WIDTH; ++i) {
      int columns = 0;
      for (int k = 0; k < a.kernel_x; ++k) {
        const int from = left + i * a.stride_x + k * a.dilation_x;
        columns += from >= least && from < right;
      }
      places[i] = max(1, rows * columns);
    }
#if WIDTH == 1
    value /= places[0];
#else
    value /= LOAD(0, places);
#endif
  }
  store_some(activate(a.activation, value), output_memory + a.output + row * a.out_width + x, 1,
             a.out_width - x);
}
