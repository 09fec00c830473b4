// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <set>
#include <string>
#include <vector>

namespace tandem::test {

enum class Container { mp4, mov, mkv, webm, avi, ogv, ts, flv, mjpeg, h264, y4m, photos };
inline constexpr int kContainers = 12;

enum class Trouble {
  streams_come_and_go,  ///< programmes, previews and streams that begin late
  no_times,             ///< no frame states when it is shown, or all state the same time
  no_rate,              ///< no header states frames a second
  turned_or_stretched,  ///< pixels are not shown as they are stored
  changes,              ///< another size, rate or shape of pixels in mid-stream
  cut_off               ///< the end of the file is missing
};
inline constexpr int kTroubles = 6;

/// "Mp4", "StreamsComeAndGo" and so on, for names of tests.
std::string to_string(Container container);
std::string to_string(Trouble trouble);

/// How to make a file that has a trouble.
struct TroubledFile {
  /// Launch lines without their sink. What they write stands one behind the other in the file. The
  /// last line of photos writes a file for each frame.
  std::vector<std::string> parts;
  std::string wrap{};  ///< from those bytes to the file; empty: they are the file
  void (*edit)(std::string& bytes) = nullptr;  ///< of the whole file
  /// Sizes of the video that is to be analysed, as GStreamer decodes it. Other sizes are previews.
  std::set<std::string> decoded = {"160x96"};
  std::string shown = "160x96";  ///< size of the first frame that is analysed
  std::string dark_edge{};       ///< of that frame; empty: any
  int frames = 24;  ///< of the analysed video, before it was cut off; 0: nothing can be decoded
  const char* extension = nullptr;  ///< null: that of the container
};

/// Files of `container` with `trouble`; empty where why_not() gives a reason.
std::vector<TroubledFile> troubled_files(Container container, Trouble trouble);

/// Why files of `container` cannot have `trouble`; empty: they can.
std::string why_not(Container container, Trouble trouble);

/// Whether each element that the launch lines of `file` name is installed.
bool can_make(const TroubledFile& file);

/// Makes it in `folder`; what the command is given as --input.
std::string make(const TroubledFile& file, Container container, const std::string& folder);

/// Whether files of `container` state how long they are, so that a part that is missing shows.
bool states_its_size(Container container);

}  // namespace tandem::test
