// SPDX-License-Identifier: LGPL-2.1-or-later
// Two steps. First every block of 2x2 cells answers each of the 105 blocks of a window:
//   answer(m, block) = (|block|_1 + epsilon)^-1/2 sum_ck weights[c][k][m] sqrt(h[cell c of block][k])
// with m = by * 7 + bx, a matrix product of 105 x 4K times 4K x blocks for K filters. Then a window's
// score is the sum of its 105 blocks' answers, each of which belongs to one window alone.
//
// Built with SUM_WIDTH = 1 or 16, and for the first step either
//   TILE_BLOCKS, TILE_FILTERS, UNROLLED
//                              work-items of a group share tiles of both matrices in local memory,
//                              UNROLLED filters of a tile at a time: GPUs
//   PANEL_BLOCKS, WIDTH        one work-item computes some blocks alone: CPUs; the weights lie as
//                              [m / WIDTH][c][k][m % WIDTH]

#define WINDOW_BLOCK_COLUMNS 7
#define WINDOW_BLOCK_ROWS 15
#define WINDOW_BLOCKS 105

// As in the other kernels: compilers built on clang say it in the second or third way.
#if defined(FP_FAST_FMAF) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define FMA fma
#else
#define FMA mad
#endif

#ifdef TILE_BLOCKS

// A work-item computes 7 answers of 8 blocks: of 4 in each half of the tile, so that neighbours read
// neighbouring banks. Answer m is answer m % 7 of group m / 7; the last of 16 groups is padding, so
// that the work-items fill whole warps. The weights lie as [c][k][group][8], the eighth unused.
#define ANSWER_GROUPS 16
#define GROUP_ANSWERS 7
#define BLOCK_GROUPS (TILE_BLOCKS / 8)
#define ITEMS (ANSWER_GROUPS * BLOCK_GROUPS)
#define PITCH (TILE_BLOCKS + 4)  // the 4 spread the banks that the transposing stores write

// Tiles are loaded into registers while the one before is computed, then stored to local memory. Of
// the roots LOADERS neighbours load one block's; each has ROUNDS blocks, the same in all tiles.
#define LOADERS 4
#define ROUNDS (TILE_BLOCKS * LOADERS / ITEMS)
#define BLOCK_STEP (ITEMS / LOADERS)
#define ROOTS (TILE_FILTERS / LOADERS)
#define TILE_WEIGHTS (TILE_FILTERS * ANSWER_GROUPS * 2)  // vectors of four
#define WEIGHTS ((TILE_WEIGHTS + ITEMS - 1) / ITEMS)

// The first of a block's cells; blocks of a band are counted through.
int first_cell(int block, int first_block_row, int columns) {
  const int row = block / (columns - 1);
  return (first_block_row + row) * columns + block - row * (columns - 1);
}

// `pitch` and the first block of a tile are multiples of 4, and so is where `partial` begins.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void vivid_classifier_answers(
    __global const float* histogram, ulong histogram_offset, int columns, int first_block_row,
    int blocks, int filters, __global const float4* weights, float epsilon,
    __global float* partial, ulong partial_offset, int pitch) {
  __local float4 weight_tile[2][TILE_WEIGHTS];
  __local float4 root_tile[2][TILE_FILTERS * PITCH / 4];
  __local float norms[TILE_BLOCKS * LOADERS];

  const int item = get_local_id(0);
  const int first_block = get_group_id(0) * TILE_BLOCKS;
  const int block_group = item % BLOCK_GROUPS, answer_group = item / BLOCK_GROUPS;
  const int loader = item % LOADERS, first_loaded = item / LOADERS;
  histogram += histogram_offset;

  int cells[ROUNDS];
  float norm[ROUNDS];
#pragma unroll
  for (int i = 0; i < ROUNDS; ++i) {
    const int block = first_block + first_loaded + i * BLOCK_STEP;
    cells[i] = first_cell(min(block, blocks - 1), first_block_row, columns);
    norm[i] = 0;
  }
  float sums[GROUP_ANSWERS][8];
#pragma unroll
  for (int a = 0; a < GROUP_ANSWERS; ++a) {
#pragma unroll
    for (int b = 0; b < 8; ++b) sums[a][b] = 0;
  }

  float4 new_weights[WEIGHTS];
  float new_counts[ROUNDS][ROOTS];
  const int tiles = (filters + TILE_FILTERS - 1) / TILE_FILTERS;
  for (int tile = -1; tile < 4 * tiles; ++tile) {
    const int next = tile + 1, c = next / tiles, first = (next - c * tiles) * TILE_FILTERS;
    if (next < 4 * tiles) {
#pragma unroll
      for (int i = 0; i < WEIGHTS; ++i) {
        if (TILE_WEIGHTS % ITEMS == 0 || item + i * ITEMS < TILE_WEIGHTS) {
          new_weights[i] = weights[next * TILE_WEIGHTS + item + i * ITEMS];
        }
      }
#pragma unroll
      for (int i = 0; i < ROUNDS; ++i) {
        const long cell = cells[i] + c / 2 * columns + c % 2;
        __global const float* counts = histogram + cell * filters + first + loader;
#pragma unroll
        for (int k = 0; k < ROOTS; ++k) {
          const bool there = first + loader + k * LOADERS < filters;
          new_counts[i][k] = there ? counts[k * LOADERS] : 0.0f;
        }
      }
    }

    if (tile >= 0) {
      __local const float4* weight_row = weight_tile[tile & 1] + answer_group * 2;
      __local const float4* root_row = root_tile[tile & 1] + block_group;
#pragma unroll 1
      for (int from = 0; from < TILE_FILTERS; from += UNROLLED) {
#pragma unroll
        for (int step = 0; step < UNROLLED; ++step) {
          const int k = from + step;
          const float4 w0 = weight_row[k * ANSWER_GROUPS * 2];
          const float4 w1 = weight_row[k * ANSWER_GROUPS * 2 + 1];
          const float4 r0 = root_row[k * (PITCH / 4)];
          const float4 r1 = root_row[k * (PITCH / 4) + BLOCK_GROUPS];
          const float w[8] = {w0.x, w0.y, w0.z, w0.w, w1.x, w1.y, w1.z, w1.w};
          const float r[8] = {r0.x, r0.y, r0.z, r0.w, r1.x, r1.y, r1.z, r1.w};
#pragma unroll
          for (int a = 0; a < GROUP_ANSWERS; ++a) {
#pragma unroll
            for (int b = 0; b < 8; ++b) sums[a][b] = FMA(w[a], r[b], sums[a][b]);
          }
        }
      }
    }

    if (next < 4 * tiles) {
      __local float4* weight_row = weight_tile[next & 1];
#pragma unroll
      for (int i = 0; i < WEIGHTS; ++i) {
        if (TILE_WEIGHTS % ITEMS == 0 || item + i * ITEMS < TILE_WEIGHTS) {
          weight_row[item + i * ITEMS] = new_weights[i];
        }
      }
      __local float* roots = (__local float*)root_tile[next & 1];
#pragma unroll
      for (int i = 0; i < ROUNDS; ++i) {
#pragma unroll
        for (int k = 0; k < ROOTS; ++k) {
          norm[i] += new_counts[i][k];
          roots[(loader + k * LOADERS) * PITCH + first_loaded + i * BLOCK_STEP] =
              sqrt(new_counts[i][k]);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

#pragma unroll
  for (int i = 0; i < ROUNDS; ++i) {
    norms[(first_loaded + i * BLOCK_STEP) * LOADERS + loader] = norm[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float scales[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    __local const float* n =
        norms + (i / 4 * (TILE_BLOCKS / 2) + block_group * 4 + i % 4) * LOADERS;
    scales[i] = 1.0f / sqrt(epsilon + ((n[0] + n[1]) + (n[2] + n[3])));
  }
  if (answer_group * GROUP_ANSWERS >= WINDOW_BLOCKS) return;
  __global float4* answers = (__global float4*)(partial + partial_offset +
                                                (long)answer_group * GROUP_ANSWERS * pitch +
                                                first_block) + block_group;
#pragma unroll
  for (int i = 0; i < GROUP_ANSWERS; ++i) {
    const long at = (long)i * pitch / 4;
    // Up to the end of a row, which may be padding.
    if (first_block + block_group * 4 < pitch) {
      answers[at] = (float4)(sums[i][0] * scales[0], sums[i][1] * scales[1],
                             sums[i][2] * scales[2], sums[i][3] * scales[3]);
    }
    if (first_block + TILE_BLOCKS / 2 + block_group * 4 < pitch) {
      answers[at + BLOCK_GROUPS] = (float4)(sums[i][4] * scales[4], sums[i][5] * scales[5],
                                            sums[i][6] * scales[6], sums[i][7] * scales[7]);
    }
  }
}

#else

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, WIDTH) Floats;
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)
#define MAX_FILTERS 255
#define ANSWERS 112  // 105, padded with zero weights to whole vectors

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
                                   int block_columns, int block_rows, __global float* score,
                                   ulong score_offset, long score_stride, int score_columns,
                                   int first_row, int rows, float bias) {
  const int items_a_row = (score_columns + SUM_WIDTH - 1) / SUM_WIDTH;
  const int item = get_global_id(0);
  const int y = item / items_a_row;
  if (y >= rows) return;
  const int x = (item - y * items_a_row) * SUM_WIDTH;
  partial += partial_offset + (long)y * block_columns + x;
  score += score_offset + (first_row + y) * score_stride + x;
  const int reached = min(WINDOW_BLOCK_ROWS, block_rows - y);

#if SUM_WIDTH > 1
  if (x + SUM_WIDTH <= score_columns) {
    float16 sum = bias;
    for (int by = 0; by < reached; ++by) {
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
    for (int by = 0; by < reached; ++by) {
      for (int bx = 0; bx < WINDOW_BLOCK_COLUMNS; ++bx) {
        const long answer = by * WINDOW_BLOCK_COLUMNS + bx;
        sum += partial[answer * pitch + by * block_columns + bx + i];
      }
    }
    score[i] = sum;
  }
}
