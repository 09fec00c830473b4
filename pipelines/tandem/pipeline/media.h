// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// How a kind of video file is written: a launch description from raw video to the container.
struct Encoding {
  const char* extension;
  const char* description;
  const char* package;  ///< Debian package that brings the encoder
  enum class Quirk {
    none,
    even_sizes,  ///< takes no others
    /// avenc_mpeg4 of gst-libav 1.22 gives every packet the time 2^63 ns. Files that store times
    /// would be nonsense, and muxers leave out all packets when the segment has an end. It keeps
    /// the order of frames.
    same_time,
    /// Ogg stores the number of a frame at a constant rate instead of its time: frames that are
    /// nearer to each other than that share a number, and readers leave out the last ones.
    no_times,
  } quirk = Quirk::none;
};

/// Every way that the command knows, the preferred one of an extension first.
std::span<const Encoding> encodings();

/// All of its elements are installed.
bool is_available(const Encoding& encoding);

/// The encoding for the file `path` by its extension. Throws UsageError for an unknown extension,
/// Failure when no encoder for it is installed.
const Encoding& encoding_for(const std::string& path);

/// Whether files of this extension store the time of each frame. AVI stores a rate, Ogg the numbers
/// of frames at a constant one.
bool stores_times(std::string_view extension);

/// Throws UsageError when `path` is a FIFO and its kind of video cannot be written without going
/// back in the file.
void check_can_stream(const std::string& option, const std::string& path);

/// Where `input` (a file, a URI, `camera` or a /dev/video device) is read from. Throws Failure when
/// the file or device is not there or cannot be read.
std::string input_uri(const std::string& input);

/// `uri`, or fd:// where it is a FIFO. The process has it open from now on, and does not wait for
/// its writer; filesrc opens files twice, which leaves the writer without a reader in between.
/// Throws Failure.
std::string open_fifo(const std::string& uri);

/// The video that the demo shows, where it is: the file that TANDEM_DEMO_VIDEO names, else
/// vtest.avi of Debian's opencv-doc; empty where neither is.
std::string demo_video();

/// Throws Failure when no file can be written at `path`, UsageError for standard output (TextOutput
/// is for text that may go there) and for a file that another option writes.
void check_output_file(const std::string& option, const std::string& path);

/// Which Debian package brings an element or what a missing-plugin message asks for; empty when
/// unknown.
std::string advice_for_element(const std::string& factory);
std::string advice_for_missing_plugin(GstMessage* message);

}  // namespace tandem
