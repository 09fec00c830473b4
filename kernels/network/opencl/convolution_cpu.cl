// SPDX-License-Identifier: LGPL-2.1-or-later
// A convolution as a matrix product, for CPUs: see ConvolutionArguments. A work-item packs the
// patches of COLUMNS pixels, kChunk depths at a time, then computes tiles of ROWS channels with all
// sums in vector registers.

#define COLUMNS (WIDTH * kVectors)
#define ROWS (WIDTH == 16 ? kWideRows : kNarrowRows)

// Patches of the pixels from `pixel` on, as [depth][COLUMNS], a vector of a row of the output at a
// time. Columns behind the last pixel are left as they are.
void pack(ConvolutionArguments a, __global const float* image, long least, long limit,
          __global const TableEntry* table, int depth, int pixel, __local float* panel) {
  const int columns = min(COLUMNS, a.pixels - pixel);
  int y = pixel / a.out_width, x = pixel - y * a.out_width;
  for (int column = 0; column < columns; ++y) {
    const int run = min(a.out_width - x, columns - column);
    const int from_y = y * a.stride_y - a.before_y;
    for (int start = column; start < column + run; start += WIDTH) {
      // The last vector begins earlier, and keeps what the panel has there.
      const int first = min(start, COLUMNS - WIDTH);
      const Ints kept = LANES < start - first;
      const int first_x = x + first - column;
      const Ints xs = first_x + LANES;
      const long from = (long)from_y * a.in_width - a.before_x + first_x * a.stride_x;
      __local float* to = panel + first;
      for (int k = 0; k < depth; ++k, to += COLUMNS) {
        const TableEntry e = table[k];
        Floats v = 0;
        if ((uint)(from_y + e.y) < (uint)a.in_height) {
          v = load_apart(image, from + e.offset, a.stride_x, least, limit);
          v = select((Floats)0, v, xs >= e.begin && xs < e.end);
        }
        STORE(select(v, LOAD(0, to), kept), 0, to);
      }
    }
    column += run;
    x = 0;
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void convolution(PARAMETERS) {
  __local float panel[kChunk * COLUMNS];
  const ConvolutionArguments a = ARGUMENTS(ConvolutionArguments);
  const int blocks = (a.row_tiles + a.block_tiles - 1) / a.block_tiles;
  const int group = get_global_id(1) / blocks;
  const int first_tile = (get_global_id(1) - group * blocks) * a.block_tiles;
  const int last_tile = min(first_tile + a.block_tiles, a.row_tiles);
  const int pixel = get_global_id(0) * COLUMNS;
  __global const float* image = first_input + a.input + (long)group * a.input_group;
  __global const TableEntry* table = (__global const TableEntry*)(constants + a.table);
  __global float* output = output_memory + a.output + (long)pixel * a.output_pixel;

  for (int begin = 0; begin < a.depth; begin += kChunk) {
    const int depth = min(a.depth - begin, kChunk);
    pack(a, image, -(long)(image - first_input), first_input + a.input_end - image,
         table + begin, depth, pixel, panel);
    for (int tile = first_tile; tile < last_tile; ++tile) {
      Floats sums[ROWS][kVectors];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int v = 0; v < kVectors; ++v) sums[r][v] = 0;
      }
      __global const float* w =
          constants + a.weights +
          ((long)(group * a.row_tiles + tile) * a.depth + begin) * ROWS;
      __local const float* p = panel;
      for (int k = 0; k < depth; ++k, w += ROWS, p += COLUMNS) {
        Floats patch[kVectors];
#pragma unroll
        for (int v = 0; v < kVectors; ++v) patch[v] = LOAD(v, p);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
#pragma unroll
          for (int v = 0; v < kVectors; ++v) {
            sums[r][v] = FMA((Floats)(w[r]), patch[v], sums[r][v]);
          }
        }
      }

      // The output holds the sums of the chunks before.
      float tile_sums[ROWS][COLUMNS];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int v = 0; v < kVectors; ++v) STORE(sums[r][v], v, tile_sums[r]);
      }
      for (int r = 0; r < min(ROWS, a.rows - tile * ROWS); ++r) {
        const int row = tile * ROWS + r, channel = group * a.rows + row;
        for (int v = 0; v < kVectors; ++v) {
          const int n = a.pixels - pixel - v * WIDTH;
          if (n <= 0) break;
          __global float* to =
              output + (long)channel * a.output_channel + v * WIDTH * a.output_pixel;
          Floats sum = LOAD(v, tile_sums[r]);
          sum += begin > 0 ? load_some(to, a.output_pixel, n) : (Floats)constants[a.bias + channel];
          if (begin + depth == a.depth) {
            if (a.residual >= 0) {
              sum += load_some(second_input + a.residual + (long)channel * a.pixels + pixel +
                                   v * WIDTH,
                               1, n);
            }
            sum = activate(a.activation, sum);
          }
          store_some(sum, to, a.output_pixel, n);
        }
      }
    }
  }
}
