// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/gst/support/decisions.h"

/// Stages whose properties change while frames flow. Frames repeat after kPictures of them, so that
/// what the stages alone make of them is known of streams of any length.
namespace tandem::test {

inline constexpr Size kVividSize{160, 208}, kSradSize{83, 61};
inline constexpr int kPictures = 10;

/// The stages of ViVid in a bin, the first one called filter with scales=1. Tensors are kept.
std::string vivid(const std::string& properties);
void set_scales(const Stream& stream, int scales);
/// With how many scales a frame was computed.
int scales_of(const Result& result);
/// Checks that a frame is as the stages alone make it with so many scales.
void expect_computed_with(int scales, Result got, Size size = kVividSize);

/// The stages of SRAD in a bin, the one that repeats called update with iterations=1.
std::string srad(const std::string& properties);
void set_iterations(const Stream& stream, int iterations);
/// Checks that a frame is as the stages alone, written so many times, make it.
void expect_despeckled(int iterations, const Result& got);

/// Pushes frame `index`, which looks like frame index % kPictures.
void push_picture(Stream& stream, int index, Size size);

/// Calls `seen` for every frame that passes the element's pad, with its number.
class FrameProbe {
 public:
  FrameProbe(GstElement* element, GstPadDirection direction, std::function<void(int)> seen);
  ~FrameProbe();

 private:
  GstPad* const pad_;
  const std::function<void(int)> seen_;
  gulong id_;
  int frames_ = 0;
};

/// Makes a change, lets frames from `next` on through until what is best for them was decided, and
/// returns that decision. Calls `check` with every frame.
Told settle(Stream& stream, const std::function<void()>& change, Size size, int& next,
            const std::function<void(const Result&)>& check);

}  // namespace tandem::test
