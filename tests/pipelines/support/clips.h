// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <string>

namespace tandem::test {

/// A short video whose times or frames are unlike those of a plain one.
struct Clip {
  const char* name;         ///< with the extension
  const char* description;  ///< launch line without the file
};

/// Three of them are H.264 in MP4.
std::span<const Clip> clips();

/// False when it needs an encoder or a muxer that is not installed.
bool can_make(const Clip& clip);

void make_clip(const Clip& clip, const std::string& path);

/// Has players turn the video of an MP4 or MOV file, `bytes`, by so many quarters, clockwise, as
/// phones do; its frames stay as they are.
void turn_by_tag(std::string& bytes, int quarters);

}  // namespace tandem::test
