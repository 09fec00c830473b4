// SPDX-License-Identifier: LGPL-2.1-or-later
// One work-item computes one output pixel. Along an axis its footprint is a run of source pixels, of
// which the first and the last weigh by their part and those between by `middle`; weights are
// integers in a unit that makes them exact and add up to `total`.
typedef struct {
  int first, last;
  int first_weight, middle, last_weight, total;
} Footprint;

// Output pixel `o` of `output` from `source` pixels.
Footprint footprint(int o, int source, int output) {
  Footprint f;
  if (output <= source) {  // the mean; in units of 1 / output of a source pixel
    const int start = o * source, end = start + source;
    f.first = start / output;
    f.last = (end - 1) / output;
    f.first_weight = min(end, (f.first + 1) * output) - start;
    f.middle = output;
    f.last_weight = f.last > f.first ? end - f.last * output : 0;
    f.total = source;
  } else {  // linear between pixel centres; in units of 1 / (2 output)
    const int centre = clamp((2 * o + 1) * source - output, 0, 2 * output * (source - 1));
    f.first = centre / (2 * output);
    f.last = min(f.first + 1, source - 1);
    f.last_weight = centre - f.first * 2 * output;
    f.first_weight = 2 * output - f.last_weight;
    f.middle = 0;
    f.total = 2 * output;
  }
  return f;
}

float row_sum(__global const uchar* row, Footprint f) {
  int middle = 0;
  for (int x = f.first + 1; x < f.last; ++x) middle += row[x];
  return f.first_weight * row[f.first] + f.middle * middle + f.last_weight * row[f.last];
}

__kernel void resize(__global const uchar* source, ulong source_offset, long source_stride,
                     int source_width, int source_height, __global uchar* destination,
                     ulong destination_offset, long destination_stride, int width, int height,
                     int first_row, int row_count) {
  const int pixel = get_global_id(0);
  const int band_row = pixel / width;
  if (band_row >= row_count) return;
  const int x = pixel - band_row * width, y = first_row + band_row;
  const Footprint fx = footprint(x, source_width, width);
  const Footprint fy = footprint(y, source_height, height);

  source += source_offset;
  float middle = 0;
  for (int sy = fy.first + 1; sy < fy.last; ++sy) {
    middle += row_sum(source + sy * source_stride, fx);
  }
  float sum = fy.first_weight * row_sum(source + fy.first * source_stride, fx);
  sum += fy.middle * middle;
  sum += fy.last_weight * row_sum(source + fy.last * source_stride, fx);
  const float mean = sum / ((float)fx.total * (float)fy.total);
  destination[destination_offset + y * destination_stride + x] = convert_uchar_sat(mean + 0.5f);
}
