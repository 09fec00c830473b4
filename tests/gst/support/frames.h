// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Frames that tests send through the stages and what comes back with them.
namespace tandem::test {

struct Size {
  int width = 160, height = 208;
};

/// A folder of this process, gone when it ends.
const std::string& temporary_folder();
/// A detector of random but always the same coefficients, which finds a few things in any frame.
/// TANDEM_DATA_DIR names its folder, so that stages find it without being told.
const std::string& model_file();
/// The same with another number of filters.
std::string other_model_file(int filters);

/// Whether there is an OpenCL device that `opencl-device=any` takes.
bool have_opencl_device();

std::string caps_text(Size size, const char* format = "GRAY8");
/// The pixels of frame `index`: noise in blocks, always the same for the same arguments.
std::vector<uint8_t> pixels(int index, Size size, const char* format = "GRAY8");
/// A buffer with this content; its time is 40 ms times its index.
GstBuffer* timed_frame(int index, const std::vector<uint8_t>& content);
/// The same with the pixels above.
GstBuffer* make_frame(int index, Size size, const char* format = "GRAY8");

struct Box {
  unsigned x, y, width, height;
  double confidence;
  std::string label;
};

/// A frame that came out.
struct Result {
  int index = -1;  ///< from its time
  std::vector<uint8_t> pixels;
  std::vector<Box> boxes;
  std::map<std::string, std::vector<float>> tensors;
};
Result read_result(GstBuffer* buffer);

/// The indices of the frames, for comparison with what went in.
std::vector<int> indices(const std::vector<Result>& results);
std::vector<int> count_to(int frames);

/// Checks that two frames carry the same results. On the device sums have another order, and where
/// two filters answer alike the other may win.
void expect_same(const Result& expected, const Result& got, bool on_device);

}  // namespace tandem::test
