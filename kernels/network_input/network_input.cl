// SPDX-License-Identifier: LGPL-2.1-or-later
// Built with CHANNELS of the input, and CHROMA where colours are used. A work-item has one pixel of
// the input in all channels.

// The mean of the samples under an output pixel: `taps_x` by `taps_y` weights, [tap][output] for
// each axis. Weights of taps past the end of an axis are 0.
float mean_under(__global const uchar* source, long stride, int step, int width, int height,
                 int first_x, __global const float* across, int outputs_x, int taps_x, int first_y,
                 __global const float* down, int outputs_y, int taps_y) {
  float mean = 0;
  const int end_x = min(taps_x, width - first_x), end_y = min(taps_y, height - first_y);
  for (int ty = 0; ty < end_y; ++ty) {
    __global const uchar* row = source + (first_y + ty) * stride + step * first_x;
    float sum = 0;
    for (int tx = 0; tx < end_x; ++tx) sum += across[tx * outputs_x] * row[step * tx];
    mean += down[ty * outputs_y] * sum;
  }
  return mean;
}

// `firsts` and `weights` hold the axes one after the other: across, down, and those of chroma.
// `maps` has 7 numbers a channel, as ChannelMap.
__kernel void network_input(__global const uchar* luma, ulong luma_offset, long luma_stride,
                            int luma_width, int luma_height, __global const uchar* u,
                            ulong u_offset, long u_stride, __global const uchar* v, ulong v_offset,
                            long v_stride, int chroma_width, int chroma_height, int chroma_step,
                            __global const int* firsts, __global const float* weights, int4 taps,
                            __global const float* maps, int4 part, __global float* input,
                            ulong input_offset, int input_width, int input_height, int first_row,
                            int row_count) {
  const int x = get_global_id(0), y = first_row + (int)get_global_id(1);
  if (x >= input_width) return;
  const int width = part.z, height = part.w;  // of the frame's part, which begins at (part.x, part.y)
  const int inner_x = x - part.x, inner_y = y - part.y;
  const bool is_frame = inner_x >= 0 && inner_x < width && inner_y >= 0 && inner_y < height;
  float luma_mean = 0, u_mean = 0, v_mean = 0;
  if (is_frame) {
    __global const int* first = firsts;
    __global const float* weight = weights;
    luma_mean = mean_under(luma + luma_offset, luma_stride, 1, luma_width, luma_height,
                           first[inner_x], weight + inner_x, width, taps.x, first[width + inner_y],
                           weight + taps.x * width + inner_y, height, taps.y);
#ifdef CHROMA
    first += width + height;
    weight += taps.x * width + taps.y * height;
    const int first_x = first[inner_x], first_y = first[width + inner_y];
    __global const float* across = weight + inner_x;
    __global const float* down = weight + taps.z * width + inner_y;
    u_mean = mean_under(u + u_offset, u_stride, chroma_step, chroma_width, chroma_height, first_x,
                        across, width, taps.z, first_y, down, height, taps.w);
    v_mean = mean_under(v + v_offset, v_stride, chroma_step, chroma_width, chroma_height, first_x,
                        across, width, taps.z, first_y, down, height, taps.w);
#endif
  }
  input += input_offset + y * input_width + x;
  for (int c = 0; c < CHANNELS; ++c, maps += 7, input += input_width * input_height) {
    float level = maps[0] * luma_mean + maps[3];
#ifdef CHROMA
    level += maps[1] * u_mean + maps[2] * v_mean;
#endif
    *input = is_frame ? clamp(level, 0.0f, 255.0f) * maps[4] + maps[5] : maps[6];
  }
}
