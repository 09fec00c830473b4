// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/parts/parts.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <set>
#include <utility>

namespace tandem {
namespace {

/// The times of key frames behind which frames lie in the file that are shown before them.
std::set<uint64_t> open_keys(const std::vector<CodedFrame>& frames) {
  std::set<uint64_t> open;
  uint64_t earliest_ns = std::numeric_limits<uint64_t>::max();  // of the frames that lie behind
  for (const CodedFrame& frame : std::views::reverse(frames)) {
    if (frame.key && earliest_ns < frame.pts_ns) open.insert(frame.pts_ns);
    earliest_ns = std::min(earliest_ns, frame.pts_ns);
  }
  return open;
}

}  // namespace

std::vector<Part> cut(const VideoIndex& index, uint64_t least_ns) {
  std::vector<Part> parts(1);
  if (least_ns == 0 || !index.why_whole.empty() || index.frames.empty()) return parts;
  std::vector<CodedFrame> shown = index.frames;
  std::ranges::sort(shown, {}, &CodedFrame::pts_ns);
  // Two frames of one time could not be told apart.
  const auto same_time = [](const CodedFrame& a, const CodedFrame& b) {
    return a.pts_ns == b.pts_ns;
  };
  if (std::ranges::adjacent_find(shown, same_time) != shown.end()) return parts;

  const std::set<uint64_t> open = open_keys(index.frames);
  uint64_t key_ns = 0;  // where to seek for the last key frame
  uint64_t start_ns = shown.front().pts_ns;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const CodedFrame& frame = shown[i];
    if (!frame.key) continue;
    const uint64_t key_before_ns = std::exchange(key_ns, frame.seek_ns);
    if (frame.pts_ns - start_ns < least_ns) continue;
    Part& before = parts.back();
    before.frames = i - before.first_frame;
    before.end_ns = start_ns = frame.pts_ns;
    // FFmpeg 7.1 loses a frame of H.265 behind such a key frame, if decoding begins there.
    const uint64_t seek_ns = open.contains(frame.pts_ns) ? key_before_ns : frame.seek_ns;
    parts.push_back({i, std::nullopt, frame.pts_ns, std::nullopt, seek_ns});
  }
  return parts;
}

}  // namespace tandem
