// SPDX-License-Identifier: LGPL-2.1-or-later
// Two steps. First every block of 2x2 cells answers each of the 105 blocks of a window:
//   answer(m, block) = (|block|_1 + epsilon)^-1/2 sum_ck weights[c][k][m] sqrt(h[cell c of block][k])
// with m = by * 7 + bx, a matrix product of 105 x 4K times 4K x blocks for K filters. Then a window's
// score is the sum of its 105 blocks' answers, each of which belongs to one window alone.
//
// The weights lie as [m / width][c][k][m % width]; a width of ANSWERS is [c][k][m].
//
// Built with SUM_WIDTH = 1 or 16, and for the first step either
//   TILE_BLOCKS, TILE_FILTERS  work-items of a group share tiles of both matrices in local memory: GPUs
//   PANEL_BLOCKS, WIDTH        one work-item computes some blocks alone: CPUs

#define WINDOW_BLOCK_COLUMNS 7
#define WINDOW_BLOCK_ROWS 15
#define WINDOW_BLOCKS 105
#define ANSWERS 112  // 105, padded with zero weights to whole vectors

// As in the other kernels: compilers built on clang say it in the second or third way.
#if defined(FP_FAST_FMAF) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define FMA fma
#else
#define FMA mad
#endif

#ifdef TILE_BLOCKS

// A work-item computes 8 answers of 8 blocks: of 4 in each half of the tile, so that neighbours read
// neighbouring banks.
#define ANSWER_GROUPS (ANSWERS / 8)
#define BLOCK_GROUPS (TILE_BLOCKS / 8)
#define ITEMS (ANSWER_GROUPS * BLOCK_GROUPS)
#define PITCH (TILE_BLOCKS + 4)  // the 4 spread the banks that the transposing loads write

// The first of a block's cells; blocks of a band are counted through.
int first_cell(int block, int first_block_row, int columns) {
  const int row = block / (columns - 1);
  return (first_block_row + row) * columns + block - row * (columns - 1);
}

#define MULTIPLY_ADD(i, root)          \
  low##i = FMA(w0, (float4)(root), low##i); \
  high##i = FMA(w1, (float4)(root), high##i)

void store_answers(__global float* partial, int pitch, int blocks, int block, int answer,
                   float4 low, float4 high, float scale) {
  if (block >= blocks) return;
  partial += (long)answer * pitch + block;
  low *= scale;
  high *= scale;
  // The last group of answers is 104 and padding.
  partial[0] = low.x;
  if (answer + 8 > WINDOW_BLOCKS) return;
  partial[(long)pitch] = low.y;
  partial[2 * (long)pitch] = low.z;
  partial[3 * (long)pitch] = low.w;
  partial[4 * (long)pitch] = high.x;
  partial[5 * (long)pitch] = high.y;
  partial[6 * (long)pitch] = high.z;
  partial[7 * (long)pitch] = high.w;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void vivid_classifier_answers(
    __global const float* histogram, ulong histogram_offset, int columns, int first_block_row,
    int blocks, int filters, __global const float4* weights, float epsilon,
    __global float* partial, ulong partial_offset, int pitch) {
  __local float4 weight_tile[TILE_FILTERS * ANSWERS / 4];
  __local float4 root_tile[TILE_FILTERS * PITCH / 4];
  __local int cells[TILE_BLOCKS];
  __local float scales[TILE_BLOCKS];
  __local float* roots = (__local float*)root_tile;

  const int item = get_local_id(0);
  const int weight_rows = (filters + TILE_FILTERS - 1) / TILE_FILTERS * TILE_FILTERS;
  const int first_block = get_group_id(0) * TILE_BLOCKS;
  const int block_group = item % BLOCK_GROUPS, answer_group = item / BLOCK_GROUPS;
  histogram += histogram_offset;
  partial += partial_offset;

  for (int b = item; b < TILE_BLOCKS; b += ITEMS) {
    cells[b] = first_cell(min(first_block + b, blocks - 1), first_block_row, columns);
    scales[b] = epsilon;
  }

  float4 low0 = 0, low1 = 0, low2 = 0, low3 = 0, low4 = 0, low5 = 0, low6 = 0, low7 = 0;
  float4 high0 = 0, high1 = 0, high2 = 0, high3 = 0, high4 = 0, high5 = 0, high6 = 0, high7 = 0;
  for (int c = 0; c < 4; ++c) {
    const int to_cell = c / 2 * columns + c % 2;
    for (int first = 0; first < filters; first += TILE_FILTERS) {
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = item; i < TILE_FILTERS * ANSWERS / 4; i += ITEMS) {
        weight_tile[i] = weights[(c * weight_rows + first) * (ANSWERS / 4) + i];
      }
      for (int i = item; i < TILE_FILTERS * TILE_BLOCKS; i += ITEMS) {
        const int b = i / TILE_FILTERS, k = i % TILE_FILTERS;
        const long cell = cells[b] + to_cell;
        const float h = first + k < filters ? histogram[cell * filters + first + k] : 0.0f;
        roots[k * PITCH + b] = sqrt(h);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int b = item; b < TILE_BLOCKS; b += ITEMS) {
        float sum = scales[b];
        for (int k = 0; k < TILE_FILTERS; ++k) {
          sum = FMA(roots[k * PITCH + b], roots[k * PITCH + b], sum);
        }
        scales[b] = sum;
      }
      for (int k = 0; k < TILE_FILTERS; ++k) {
        const float4 w0 = weight_tile[k * (ANSWERS / 4) + answer_group * 2];
        const float4 w1 = weight_tile[k * (ANSWERS / 4) + answer_group * 2 + 1];
        const float4 r0 = root_tile[k * (PITCH / 4) + block_group];
        const float4 r1 = root_tile[k * (PITCH / 4) + BLOCK_GROUPS + block_group];
        MULTIPLY_ADD(0, r0.x);
        MULTIPLY_ADD(1, r0.y);
        MULTIPLY_ADD(2, r0.z);
        MULTIPLY_ADD(3, r0.w);
        MULTIPLY_ADD(4, r1.x);
        MULTIPLY_ADD(5, r1.y);
        MULTIPLY_ADD(6, r1.z);
        MULTIPLY_ADD(7, r1.w);
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);

#define STORE_ANSWERS(i)                                                                       \
  {                                                                                            \
    const int b = (i) / 4 * (TILE_BLOCKS / 2) + block_group * 4 + (i) % 4;                     \
    store_answers(partial, pitch, blocks, first_block + b, answer_group * 8, low##i, high##i, \
                  1.0f / sqrt(scales[b]));                                                     \
  }
  STORE_ANSWERS(0)
  STORE_ANSWERS(1)
  STORE_ANSWERS(2)
  STORE_ANSWERS(3)
  STORE_ANSWERS(4)
  STORE_ANSWERS(5)
  STORE_ANSWERS(6)
  STORE_ANSWERS(7)
}

#else

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, WIDTH) Floats;
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)
#define MAX_FILTERS 255

// The roots of a cell; returns their squares' sum, in 8 chains of additions for the processor to overlap.
float load_roots(__global const float* h, int filters, float* roots) {
  float sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int k = 0; k + 8 <= filters; k += 8) {
    for (int i = 0; i < 8; ++i) {
      sums[i] += h[k + i];
      roots[k + i] = sqrt(h[k + i]);
    }
  }
  float sum = 0;
  for (int k = filters / 8 * 8; k < filters; ++k) {
    sum += h[k];
    roots[k] = sqrt(h[k]);
  }
  for (int i = 0; i < 8; ++i) sum += sums[i];
  return sum;
}

// A work-item computes PANEL_BLOCKS neighbours in a row, a vector of answers at a time: a weight that
// is loaded serves all of them, and neighbours share two of their cells.
__kernel void vivid_classifier_answers(__global const float* histogram, ulong histogram_offset,
                                       int columns, int first_block_row, int blocks, int filters,
                                       __global const float* weights, float epsilon,
                                       __global float* partial, ulong partial_offset, int pitch) {
  const int block_columns = columns - 1;
  const int panels_a_row = (block_columns + PANEL_BLOCKS - 1) / PANEL_BLOCKS;
  const int row = get_global_id(0) / panels_a_row;
  const int x = (get_global_id(0) - row * panels_a_row) * PANEL_BLOCKS;
  const int first_block = row * block_columns + x;
  if (first_block >= blocks) return;
  histogram += histogram_offset;
  partial += partial_offset + first_block;

  // Two rows of cells; the four cells of block b are b and b + 1 of each. The distance between them is
  // known to the compiler, which needs no addition for each then.
  float roots[2][PANEL_BLOCKS + 1][MAX_FILTERS];
  float norms[PANEL_BLOCKS + 1];
  for (int cell = 0; cell <= PANEL_BLOCKS; ++cell) {
    const long column = min(x + cell, columns - 1);
    norms[cell] = 0;
    for (int r = 0; r < 2; ++r) {
      const long index = (first_block_row + row + r) * (long)columns + column;
      norms[cell] += load_roots(histogram + index * filters, filters, roots[r][cell]);
    }
  }
  float scales[PANEL_BLOCKS];
  for (int b = 0; b < PANEL_BLOCKS; ++b) {
    scales[b] = 1.0f / sqrt(epsilon + norms[b] + norms[b + 1]);
  }

  for (int answer = 0; answer < ANSWERS; answer += WIDTH) {
    Floats sums[PANEL_BLOCKS];
    for (int b = 0; b < PANEL_BLOCKS; ++b) sums[b] = 0;
    __global const float* w = weights + answer * 4 * filters;
    for (int c = 0; c < 4; ++c) {
      const float(*cells)[MAX_FILTERS] = roots[c / 2] + c % 2;
      for (int k = 0; k < filters; ++k, w += WIDTH) {
        const Floats weight = LOAD(0, w);
#pragma unroll
        for (int b = 0; b < PANEL_BLOCKS; ++b) {
          sums[b] = FMA(weight, (Floats)(cells[b][k]), sums[b]);
        }
      }
    }
    float answers[PANEL_BLOCKS][WIDTH];
    for (int b = 0; b < PANEL_BLOCKS; ++b) STORE(sums[b] * scales[b], 0, answers[b]);
    const int kept = min(block_columns - x, PANEL_BLOCKS);
    for (int m = 0; m < min(WINDOW_BLOCKS - answer, WIDTH); ++m) {
      for (int b = 0; b < kept; ++b) partial[(long)(answer + m) * pitch + b] = answers[b][m];
    }
  }
}

#endif

__kernel void vivid_classifier_sum(__global const float* partial, ulong partial_offset, int pitch,
                                   int block_columns, __global float* score, ulong score_offset,
                                   long score_stride, int score_columns, int first_row, int rows,
                                   float bias) {
  const int items_a_row = (score_columns + SUM_WIDTH - 1) / SUM_WIDTH;
  const int item = get_global_id(0);
  const int y = item / items_a_row;
  if (y >= rows) return;
  const int x = (item - y * items_a_row) * SUM_WIDTH;
  partial += partial_offset + (long)y * block_columns + x;
  score += score_offset + (first_row + y) * score_stride + x;

#if SUM_WIDTH > 1
  if (x + SUM_WIDTH <= score_columns) {
    float16 sum = bias;
    for (int by = 0; by < WINDOW_BLOCK_ROWS; ++by) {
      for (int bx = 0; bx < WINDOW_BLOCK_COLUMNS; ++bx) {
        const long answer = by * WINDOW_BLOCK_COLUMNS + bx;
        sum += vload16(0, partial + answer * pitch + by * block_columns + bx);
      }
    }
    vstore16(sum, 0, score);
    return;
  }
#endif
  for (int i = 0; i < min(SUM_WIDTH, score_columns - x); ++i) {
    float sum = bias;
    for (int by = 0; by < WINDOW_BLOCK_ROWS; ++by) {
      for (int bx = 0; bx < WINDOW_BLOCK_COLUMNS; ++bx) {
        const long answer = by * WINDOW_BLOCK_COLUMNS + bx;
        sum += partial[answer * pitch + by * block_columns + bx + i];
      }
    }
    score[i] = sum;
  }
}
