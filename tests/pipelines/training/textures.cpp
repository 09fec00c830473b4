// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/pipelines/training/textures.h"

#include <gst/video/video.h>

#include <algorithm>
#include <cmath>

#include "pipelines/training/random.h"

namespace tandem {
namespace {

constexpr int kWidth = 96, kHeight = 80;

std::string pixels_of(int kind, uint64_t seed) {
  Random random(seed, static_cast<uint64_t>(kind) + 1);
  const double phase = random.uniform() * 10, period = 10 + 3 * random.uniform();
  std::string pixels;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const double u = (x + phase) * 6.2832 / period, v = (y + 2 * phase) * 6.2832 / period;
      double value = 0;
      if (kind == 0) value = std::cos(u) * std::cos(v) > 0.6 ? 1 : -0.3;
      if (kind == 1) value = std::sin(u + 0.5 * v) * (std::sin(v / 3) > -0.5 ? 1 : 0);
      if (kind == 2) value = std::sin(u + std::sin(v / 5)) * std::sin(v) > 0 ? 0.8 : -0.8;
      const double grey = 128 + 80 * value + 12 * (random.uniform() - 0.5);
      pixels.push_back(static_cast<char>(static_cast<uint8_t>(std::clamp(grey, 0.0, 255.0))));
    }
  }
  return pixels;
}

}  // namespace

std::string png_of(int width, int height, const void* pixels) {
  gst_init(nullptr, nullptr);
  GstBuffer* buffer =
      gst_buffer_new_memdup(pixels, static_cast<gsize>(width) * static_cast<gsize>(height));
  GstCaps* from = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY8", "width",
                                      G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
                                      GST_TYPE_FRACTION, 1, 1, nullptr);
  GstCaps* to = gst_caps_new_empty_simple("image/png");
  GstSample* sample = gst_sample_new(buffer, from, nullptr, nullptr);
  GError* error = nullptr;
  GstSample* png = gst_video_convert_sample(sample, to, GST_CLOCK_TIME_NONE, &error);
  EXPECT_TRUE(png) << error->message;
  std::string file(gst_buffer_get_size(gst_sample_get_buffer(png)), '\0');
  gst_buffer_extract(gst_sample_get_buffer(png), 0, file.data(), file.size());
  gst_sample_unref(png);
  gst_sample_unref(sample);
  gst_caps_unref(to);
  gst_caps_unref(from);
  gst_buffer_unref(buffer);
  return file;
}

std::string texture(int kind, uint64_t seed) {
  return png_of(kWidth, kHeight, pixels_of(kind, seed).data());
}

void write_textures(const Folder& folder, int count, const std::string& prefix) {
  const char* const names[] = {"dots", "stripes", "checks"};
  for (int kind = 0; kind < 3; ++kind)
    for (int i = 0; i < count; ++i)
      folder.write(prefix + names[kind] + "/" + std::to_string(i) + ".png",
                   texture(kind, static_cast<uint64_t>(i)));
}

}  // namespace tandem
