// SPDX-License-Identifier: LGPL-2.1-or-later
// Built with FILTERS, and with LOCAL_BINS where local memory is memory of its own.
//
// One work-item counts one cell: nobody else writes its bins, so no atomics are needed (OpenCL 1.2
// has none for floats). Cells are counted through, row after row, as their histograms lie.

#define CELL 8

#ifdef LOCAL_BINS
#define BINS __local
// From one cell's bins to the next's, odd: work-items of a group hit different banks when they vote
// for the same filter as well as when they copy a histogram side by side.
#define PITCH (FILTERS | 1)
#else
#define BINS __global
#endif

void vote(BINS float* bins, uint filter, float weight) {
  if (filter < FILTERS) bins[filter] += weight;
}

void count_cell(BINS float* bins, __global const uchar* index, long index_stride,
                __global const float* weight, long weight_stride) {
  for (int y = 0; y < CELL; ++y) {
    const uchar8 i = vload8(0, index + y * index_stride);
    const float8 w = vload8(0, weight + y * weight_stride);
    vote(bins, i.s0, w.s0);
    vote(bins, i.s1, w.s1);
    vote(bins, i.s2, w.s2);
    vote(bins, i.s3, w.s3);
    vote(bins, i.s4, w.s4);
    vote(bins, i.s5, w.s5);
    vote(bins, i.s6, w.s6);
    vote(bins, i.s7, w.s7);
  }
}

__kernel void vivid_histogram(__global const uchar* index, ulong index_offset, long index_stride,
                              __global const float* weight, ulong weight_offset,
                              long weight_stride, __global float* histogram,
                              ulong histogram_offset, int columns, int first_cell, int end_cell
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
  for (int i = item; i < items * PITCH; i += items) group_bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (cell < end_cell) {
    count_cell(group_bins + item * PITCH, index, index_stride, weight, weight_stride);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // The group's histograms lie side by side: all of its items write each of them together.
  const int first = cell - item;
  const int values = min(items, end_cell - first) * FILTERS;
  histogram += (long)first * FILTERS;
  for (int i = item; i < values; i += items) {
    histogram[i] = group_bins[i / FILTERS * PITCH + i % FILTERS];
  }
#else
  if (cell >= end_cell) return;
  __global float* bins = histogram + (long)cell * FILTERS;
  for (int k = 0; k < FILTERS; ++k) bins[k] = 0;
  count_cell(bins, index, index_stride, weight, weight_stride);
#endif
}
