// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>

#include "gst/meta/results.h"

/// The results of a frame as one line of JSON. docs/json-lines.md has the fields.
namespace tandem {

/// Version of the format. It rises when a field is removed or changes its meaning.
inline constexpr char kFrameSchema[] = "tandem-frame";
inline constexpr int kFrameSchemaVersion = 1;

/// Facts that a frame does not carry itself.
struct FrameOrigin {
  std::string source;   ///< names the stream; any bytes
  uint64_t number = 0;  ///< of the frame in its stream, from 0 on
  FrameSize size;
  int64_t now_us = 0;  ///< microseconds since 1970 UTC: for frames without a time
};

/// The line with its newline at the end. Reads the frame's times, and never its pixels. Bytes of
/// the source's name that are not UTF-8 become U+FFFD. Throws std::bad_alloc.
std::string frame_json_line(GstBuffer* frame, const FrameResults& results,
                            const FrameOrigin& origin);

/// The line of the results of read_results().
std::string frame_json_line(GstBuffer* frame, const FrameOrigin& origin);

}  // namespace tandem
