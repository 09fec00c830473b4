// SPDX-License-Identifier: LGPL-2.1-or-later
// Softmax along one axis: see SoftmaxArguments. Built with ITEMS: work-items of a group.

float reduce(__local float* shared, int item, int lanes, int maximum, float value) {
  if (lanes == 1) return value;
  shared[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = ITEMS / 2; step > 0; step /= 2) {
    if (item < step) {
      const float v = shared[item + step];
      shared[item] = maximum ? fmax(shared[item], v) : shared[item] + v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float result = shared[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void softmax(PARAMETERS) {
  __local float shared[ITEMS];
  const SoftmaxArguments a = ARGUMENTS(SoftmaxArguments);
  const int item = get_local_id(0), lane = item % a.lanes;
  const int row = get_group_id(0) * (ITEMS / a.lanes) + item / a.lanes;
  const int along = row < a.rows ? a.along : 0;
  const int outer = row / a.inner;
  const long start = (long)outer * a.inner * a.along + (row - outer * a.inner);
  __global const float* from = first_input + a.input + start;
  __global float* to = output_memory + a.output + start;
  float largest = -INFINITY;
  for (int i = lane; i < along; i += a.lanes) largest = fmax(largest, from[(long)i * a.inner]);
  largest = reduce(shared, item, a.lanes, 1, largest);
  float sum = 0;
  for (int i = lane; i < along; i += a.lanes) {
    const float e = exp(from[(long)i * a.inner] - largest);
    to[(long)i * a.inner] = e;
    sum += e;
  }
  sum = reduce(shared, item, a.lanes, 0, sum);
  for (int i = lane; i < along; i += a.lanes) {
    store_some(activate(a.activation, (Floats)(to[(long)i * a.inner] / sum)),
               to + (long)i * a.inner, 1, 1);
  }
}
