// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tandem {

/// The encoding of a kind of video file: a launch description from raw video to the container.
struct Encoding {
  const char* extension;
  const char* description;
  const char* package;  ///< Debian package that brings the encoder
  enum class Quirk {
    none,
    even_sizes,  ///< takes no others
    /// avenc_mpeg4 of gst-libav 1.22 gives every packet the time 2^63 ns. Files that store times
    /// would be invalid, and muxers drop all packets if the segment has an end. It keeps the order
    /// of frames.
    same_time,
    /// Ogg stores the number of a frame at a constant rate instead of its time. Frames that are
    /// nearer to each other share a number, and readers leave out the last ones.
    no_times,
  } quirk = Quirk::none;
};

/// All encodings, the preferred one of an extension first.
std::span<const Encoding> encodings();

/// All of its elements are installed.
bool is_available(const Encoding& encoding);

/// The encoding for the file `path` by its extension. Throws UsageError for an unknown extension,
/// Failure when no encoder for it is installed.
const Encoding& encoding_for(const std::string& path);

/// Whether files of this extension store the time of each frame. AVI stores a rate, Ogg the numbers
/// of frames at a constant one.
bool stores_times(std::string_view extension);

}  // namespace tandem
