// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/jobs/parts/parts.h"

namespace tandem {

/// Reads a video once, without decoding it. It can be cut if every packet is one frame with a
/// time, as in MP4, MOV, Matroska, WebM and AVI, and if a seek reaches the frame that it asks for.
/// Throws Failure when it holds no video that can be read.
VideoIndex index_video(const std::string& uri);

/// Reads the beginning of a video. Throws Failure when it holds none that can be read.
void check_video(const std::string& uri);

}  // namespace tandem
