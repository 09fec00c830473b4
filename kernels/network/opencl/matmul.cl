// SPDX-License-Identifier: LGPL-2.1-or-later
// Products of matrices: see MatMulArguments. A work-item computes kMatMulRows x WIDTH elements.
// Built with ITEMS: work-items of a group.

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void matmul(PARAMETERS) {
  const MatMulArguments a = ARGUMENTS(MatMulArguments);
  const int column = get_global_id(0) * WIDTH;
  const int row_tiles = (a.rows + kMatMulRows - 1) / kMatMulRows;
  const int batch = get_global_id(1) / row_tiles;
  const int first_row = (get_global_id(1) - batch * row_tiles) * kMatMulRows;
  if (column >= a.columns) return;
  const int n = a.columns - column;
  __global const int* offsets = (__global const int*)(constants + a.batches) + 3 * batch;
  __global const float* first = first_input + a.first + offsets[0];
  __global const float* second =
      second_input + a.second + offsets[1] + (long)column * a.second_column;
  __global const float* third =
      third_input + a.third + offsets[2] + (long)column * a.third_column;
  Floats sums[kMatMulRows];
#pragma unroll
  for (int r = 0; r < kMatMulRows; ++r) {
    sums[r] = a.has_bias ? load_some(third + (long)min(first_row + r, a.rows - 1) * a.third_row,
                                     a.third_column, n)
                         : (Floats)0;
  }
  for (int k = 0; k < a.depth; ++k) {
    const Floats b = load_some(second + (long)k * a.second_depth, a.second_column, n);
#pragma unroll
    for (int r = 0; r < kMatMulRows; ++r) {
      const long row = min(first_row + r, a.rows - 1);
      sums[r] = FMA((Floats)(first[row * a.first_row + (long)k * a.first_depth]), b, sums[r]);
    }
  }
  __global float* output = output_memory + a.output + (long)batch * a.rows * a.columns + column;
#pragma unroll
  for (int r = 0; r < kMatMulRows; ++r) {
    if (first_row + r >= a.rows) continue;
    store_some(activate(a.activation, sums[r]), output + (long)(first_row + r) * a.columns, 1, n);
  }
}
