// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies, and operations of two values: see ElementwiseArguments. Built with RUN: elements along the
// innermost side that a work-item computes; ITEMS: work-items of a group.

Floats combine(int operation, Floats a, Floats b) {
  switch (operation) {
    case kAdd:
      return a + b;
    case kSubtract:
      return a - b;
    case kMultiply:
      return a * b;
    case kDivide:
      return a / b;
    case kPower:
      return pow(a, b);
    case kMaximum:
      return fmax(a, b);
    default:
      return fmin(a, b);
  }
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void elementwise(PARAMETERS) {
  __global const ElementwiseArguments* a = &ARGUMENTS(ElementwiseArguments);
  const int runs = (a->size[0] + RUN - 1) / RUN;
  int row = get_global_id(0) / runs;
  if (row >= a->rows) return;
  const int begin = (get_global_id(0) - row * runs) * RUN;
  const int end = min(begin + RUN, a->size[0]);
  __global const float* first = first_input + a->first;
  __global const float* second = second_input + a->second;
  __global float* output = output_memory + a->output;
  for (int side = 1; side < a->sides; ++side) {
    const int rest = row / a->size[side], index = row - rest * a->size[side];
    row = rest;
    first += index * a->first_stride[side];
    second += index * a->second_stride[side];
    output += index * a->output_stride[side];
  }
  for (int i = begin; i < end; i += WIDTH) {
    const int n = end - i;
    Floats value = load_some(first + i * a->first_stride[0], a->first_stride[0], n);
    if (a->operation != kCopy) {
      value = combine(a->operation, value,
                      load_some(second + i * a->second_stride[0], a->second_stride[0], n));
    }
    store_some(activate(a->activation, value), output + i * a->output_stride[0],
               a->output_stride[0], n);
  }
}
