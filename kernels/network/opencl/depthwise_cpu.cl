// SPDX-License-Identifier: LGPL-2.1-or-later
// A convolution of each channel on its own, for CPUs: see DepthwiseArguments. A work-item copies a
// padded tile of a channel, so that vectors need no test of borders. Columns of the tile that are
// stride_x apart lie side by side.

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void depthwise(PARAMETERS) {
  __local float tile[kDepthwiseTile + WIDTH];
  const DepthwiseArguments a = ARGUMENTS(DepthwiseArguments);
  const int channel = get_global_id(1);
  const int tiles_a_row = (a.out_width + a.tile_width - 1) / a.tile_width;
  const int tile_row = get_global_id(0) / tiles_a_row;
  const int top = tile_row * a.tile_height;
  const int left = (get_global_id(0) - tile_row * tiles_a_row) * a.tile_width;
  const int height = min(a.tile_height, a.out_height - top);
  const int width = min(a.tile_width, a.out_width - left);

  const int pitch = (a.tile_width + WIDTH - 1) / WIDTH * WIDTH +
                    (a.kernel_x - 1) * a.dilation_x / a.stride_x;
  const int in_rows = (height - 1) * a.stride_y + (a.kernel_y - 1) * a.dilation_y + 1;
  __global const float* image =
      first_input + a.input + (long)(channel / a.multiplier) * a.in_height * a.in_width;
  const int in_top = top * a.stride_y - a.before_y, in_left = left * a.stride_x - a.before_x;
  const long least = -(long)(image - first_input);
  const long limit = first_input + a.input_end - image;
  for (int row = 0; row < in_rows; ++row) {
    __local float* to = tile + row * a.stride_x * pitch;
    const bool inside = (uint)(in_top + row) < (uint)a.in_height;
    for (int phase = 0; phase < a.stride_x; ++phase, to += pitch) {
      // A vector that exceeds the row ends in the next one, which follows.
      for (int i = 0; i < pitch; i += WIDTH) {
        const int x = in_left + phase + i * a.stride_x;
        const Floats v = inside ? load_row(image, (in_top + row) * a.in_width, x, a.stride_x,
                                           a.in_width, least, limit, 0)
                                : (Floats)0;
        STORE(v, 0, to + i);
      }
    }
  }

  __global const float* weights = constants + a.weights + channel * a.kernel_y * a.kernel_x;
  __global const int* places = (__global const int*)(constants + a.table);
  const float bias = constants[a.bias + channel];
  for (int y = 0; y < height; ++y) {
    const long element = ((long)channel * a.out_height + top + y) * a.out_width + left;
    __global float* output = output_memory + a.output + (long)channel * a.output_channel +
                             ((long)(top + y) * a.out_width + left) * a.output_pixel;
    for (int x = 0; x < width; x += WIDTH) {
      Floats sum = bias;
      __local const float* window = tile + y * a.stride_y * a.stride_x * pitch + x;
      for (int k = 0; k < a.kernel_y * a.kernel_x; ++k) {
        sum = FMA((Floats)(weights[k]), LOAD(0, window + places[k]), sum);
      }
      const int n = width - x;
      if (a.residual >= 0) sum += load_some(second_input + a.residual + element + x, 1, n);
      store_some(activate(a.activation, sum), output + x * a.output_pixel, a.output_pixel, n);
    }
  }
}
