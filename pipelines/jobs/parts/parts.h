// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipelines/jobs/job.h"

namespace tandem {

/// A frame as it lies in the file, not decoded.
struct CodedFrame {
  uint64_t pts_ns = 0;   ///< presentation time that the decoder assigns to the frame
  uint64_t seek_ns = 0;  ///< the position to seek to for it
  bool key = false;      ///< decoding may begin here
};

/// The index of a video, made without decoding it.
struct VideoIndex {
  std::vector<CodedFrame> frames;  ///< in the order of the file, which is that of decoding
  std::string why_whole;           ///< the reason why the video cannot be cut; empty: it can
};

/// Reads a video once, without decoding it. It can be cut under two conditions: every packet is
/// one frame with a time, as in MP4, MOV, Matroska, WebM and AVI, and a seek reaches its frame.
/// Throws Failure when it holds no video that can be read.
VideoIndex index_video(const std::string& uri);

/// Reads the beginning of a video. Throws Failure when it holds none that can be read.
void check_video(const std::string& uri);

/// Cuts a video before key frames into parts of at least `least_ns`, except the last. A frame
/// belongs to a part by its presentation time. Frames that follow a key frame in the file and are
/// shown before it (B-frames of an open group of pictures) belong to the part before. A part that
/// begins with such a key frame is sought at the key frame before. One part, with nothing known of
/// it, where the video cannot be cut or `least_ns` is 0.
std::vector<Part> cut(const VideoIndex& index, uint64_t least_ns);

}  // namespace tandem
