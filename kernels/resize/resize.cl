// SPDX-License-Identifier: LGPL-2.1-or-later
// Built with RUN: how many neighbours in a row one work-item computes. Their footprints follow from
// each other without divisions, which CPUs do slowly; a GPU has use for a work-item a pixel.

// How the pixels of an output axis lie over its source axis. A position is a source pixel and a
// numerator over `unit`, so that all weights are exact integers.
typedef struct {
  int shrinks, source, unit, step_whole, step_part;
} Axis;

typedef struct {
  int whole, part;
} Position;

Axis axis_of(int source, int output) {
  Axis axis;
  axis.shrinks = output <= source;
  axis.source = source;
  axis.unit = axis.shrinks ? output : 2 * output;
  const int step = axis.shrinks ? source : 2 * source;
  axis.step_whole = step / axis.unit;
  axis.step_part = step % axis.unit;
  return axis;
}

// Where output pixel `o` starts when the axis shrinks; the source pixel centre before its centre when
// it grows, which may be -1.
Position position_of(Axis axis, int o) {
  const int numerator =
      axis.shrinks ? o * axis.source : (2 * o + 1) * axis.source - axis.unit / 2 + axis.unit;
  Position p;
  p.whole = numerator / axis.unit - (axis.shrinks ? 0 : 1);
  p.part = numerator % axis.unit;
  return p;
}

Position next(Axis axis, Position p) {
  p.whole += axis.step_whole;
  p.part += axis.step_part;
  if (p.part >= axis.unit) {
    p.part -= axis.unit;
    ++p.whole;
  }
  return p;
}

// A run of source pixels, of which the first and the last weigh by their part and those between by
// `middle`.
typedef struct {
  int first, last;
  int first_weight, middle, last_weight;
} Footprint;

Footprint footprint(Axis axis, Position p) {
  Footprint f;
  if (axis.shrinks) {  // from here to where the next starts
    const Position end = next(axis, p);
    f.first = p.whole;
    f.last = end.part > 0 ? end.whole : end.whole - 1;
    f.middle = axis.unit;
    f.last_weight = f.last == f.first ? 0 : end.part > 0 ? end.part : axis.unit;
    f.first_weight = axis.unit - p.part;
  } else {  // linear between two centres, clamped at the ends
    f.first = max(p.whole, 0);
    f.last = min(p.whole + 1, axis.source - 1);
    f.middle = 0;
    f.last_weight = p.part;
    f.first_weight = axis.unit - p.part;
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
  const int runs_a_row = (width + RUN - 1) / RUN;
  const int item = get_global_id(0);
  const int band_row = item / runs_a_row;
  if (band_row >= row_count) return;
  const int first_x = (item - band_row * runs_a_row) * RUN, y = first_row + band_row;
  const Axis axis_x = axis_of(source_width, width), axis_y = axis_of(source_height, height);
  const Footprint fy = footprint(axis_y, position_of(axis_y, y));

  source += source_offset;
  __global const uchar* first = source + fy.first * source_stride;
  __global const uchar* last = source + fy.last * source_stride;
  destination += destination_offset + y * destination_stride;
  const float total = (float)(axis_x.shrinks ? source_width : axis_x.unit) *
                      (float)(axis_y.shrinks ? source_height : axis_y.unit);
  Position px = position_of(axis_x, first_x);
  for (int x = first_x; x < min(first_x + RUN, width); ++x, px = next(axis_x, px)) {
    const Footprint fx = footprint(axis_x, px);
    float middle = 0;
    for (int sy = fy.first + 1; sy < fy.last; ++sy) {
      middle += row_sum(source + sy * source_stride, fx);
    }
    float sum = fy.first_weight * row_sum(first, fx);
    sum += fy.middle * middle;
    sum += fy.last_weight * row_sum(last, fx);
    destination[x] = convert_uchar_sat(sum / total + 0.5f);
  }
}
