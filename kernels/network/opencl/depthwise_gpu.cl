// SPDX-License-Identifier: LGPL-2.1-or-later
// A convolution of each channel on its own, for GPUs: one work-item a pixel. See DepthwiseArguments.
// Built with ITEMS: work-items of a group.

float window_sum(DepthwiseArguments a, int kernel_y, int kernel_x, __global const float* image,
                 __global const float* weights, int top, int left) {
  float sum = 0;
#pragma unroll
  for (int ky = 0; ky < kernel_y; ++ky) {
    const int y = top + ky * a.dilation_y;
    if ((uint)y >= (uint)a.in_height) continue;
#pragma unroll
    for (int kx = 0; kx < kernel_x; ++kx) {
      const float v = load_row(image, y * a.in_width, left + kx * a.dilation_x, 1, a.in_width,
                               0, 0, 0);
      sum = FMA(weights[ky * kernel_x + kx], v, sum);
    }
  }
  return sum;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void depthwise(PARAMETERS) {
  const DepthwiseArguments a = ARGUMENTS(DepthwiseArguments);
  const int pixel = get_global_id(0), channel = get_global_id(1);
  const int pixels = a.out_height * a.out_width;
  if (pixel >= pixels) return;
  const int y = pixel / a.out_width, x = pixel - y * a.out_width;
  const int top = y * a.stride_y - a.before_y, left = x * a.stride_x - a.before_x;
  __global const float* image =
      first_input + a.input + (long)(channel / a.multiplier) * a.in_height * a.in_width;
  __global const float* weights = constants + a.weights + channel * a.kernel_y * a.kernel_x;
  float sum;
  // Sizes that the compiler unrolls: all loads of a window are then on their way at once.
  if (a.kernel_y == 3 && a.kernel_x == 3) {
    sum = window_sum(a, 3, 3, image, weights, top, left);
  } else if (a.kernel_y == 5 && a.kernel_x == 5) {
    sum = window_sum(a, 5, 5, image, weights, top, left);
  } else {
    sum = window_sum(a, a.kernel_y, a.kernel_x, image, weights, top, left);
  }
  sum += constants[a.bias + channel];
  if (a.residual >= 0) sum += second_input[a.residual + (long)channel * pixels + pixel];
  output_memory[a.output + (long)channel * a.output_channel + pixel * a.output_pixel] = activate(a.activation, sum);
}
