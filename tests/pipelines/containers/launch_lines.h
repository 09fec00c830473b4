// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of launch lines that make files.
#pragma once

#include <string>
#include <vector>

#include "tests/pipelines/containers/troubled_files.h"

namespace tandem::test {

#define X264 "x264enc key-int-max=5 bframes=0 ! h264parse"

/// How a file of a container is written.
struct Way {
  const char* name;
  const char* extension;
  const char* encoder;
  const char* muxer;  ///< empty: none
};

const Way& way_of(Container container);

constexpr char kMain[] = "width=160,height=96";
constexpr char kOther[] = "width=96,height=128";
constexpr char kPreview[] = "width=64,height=48";
constexpr char kLate[] = "timestamp-offset=400000000";
constexpr char kNoRate[] = "capssetter caps=video/x-raw,framerate=0/1 ! ";

/// Raw frames. `form`: more of the caps, as kMain. `source`: more properties of videotestsrc.
std::string raw(int frames, const std::string& form, const std::string& source = "");

/// " ! " and the muxer, where there is one.
std::string muxed(const Way& way);

/// A file with one stream of `source`.
std::string line(const Way& way, const std::string& source);

/// Files of `container` with Trouble::streams_come_and_go.
std::vector<TroubledFile> come_and_go(Container container);

}  // namespace tandem::test
