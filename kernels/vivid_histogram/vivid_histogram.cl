// SPDX-License-Identifier: LGPL-2.1-or-later
// Built with LOCAL_BINS where local memory is memory of its own.
//
// One work-item counts one cell: nobody else writes its bins, so no atomics are needed (OpenCL 1.2
// has none for floats). Cells are counted through, row after row, as their histograms lie.

#define CELL 8

#ifdef LOCAL_BINS
#define BINS __local
#else
#define BINS __global
#endif

void vote(BINS float* bins, int filters, int filter, float weight) {
  if (filter < filters) bins[filter] += weight;
}

void count_cell(BINS float* bins, int filters, __global const uchar* index, long index_stride,
                __global const float* weight, long weight_stride) {
  for (int y = 0; y < CELL; ++y) {
    const uchar8 i = vload8(0, index + y * index_stride);
    const float8 w = vload8(0, weight + y * weight_stride);
    vote(bins, filters, i.s0, w.s0);
    vote(bins, filters, i.s1, w.s1);
    vote(bins, filters, i.s2, w.s2);
    vote(bins, filters, i.s3, w.s3);
    vote(bins, filters, i.s4, w.s4);
    vote(bins, filters, i.s5, w.s5);
    vote(bins, filters, i.s6, w.s6);
    vote(bins, filters, i.s7, w.s7);
  }
}

__kernel void vivid_histogram(__global const uchar* index, ulong index_offset, long index_stride,
                              __global const float* weight, ulong weight_offset,
                              long weight_stride, __global float* histogram,
                              ulong histogram_offset, int filters, int columns, int first_cell,
                              int end_cell
#ifdef LOCAL_BINS
                              ,
                              __local float* group_bins
#endif
) {
  const int cell = first_cell + get_global_id(0);
  // The grid of cells starts at pixel (1,1).
  const long x = cell % columns * CELL + 1, y = cell / columns * CELL + 1;
  index += index_offset + y * index_stride + x;
  weight += weight_offset + y * weight_stride + x;
  histogram += histogram_offset;

#ifdef LOCAL_BINS
  const int item = get_local_id(0), items = get_local_size(0);
  // From one cell's bins to the next's, odd: work-items hit different banks when they vote for the
  // same filter as well as when they copy a histogram side by side.
  const int pitch = filters | 1;
  for (int i = item; i < items * pitch; i += items) group_bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (cell < end_cell) {
    count_cell(group_bins + item * pitch, filters, index, index_stride, weight, weight_stride);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // All items of the group write each of its histograms together, which lie side by side.
  const int first = cell - item;
  for (int c = 0; c < min(items, end_cell - first); ++c) {
    for (int k = item; k < filters; k += items) {
      histogram[(long)(first + c) * filters + k] = group_bins[c * pitch + k];
    }
  }
#else
  if (cell >= end_cell) return;
  __global float* bins = histogram + (long)cell * filters;
  for (int k = 0; k < filters; ++k) bins[k] = 0;
  count_cell(bins, filters, index, index_stride, weight, weight_stride);
#endif
}
