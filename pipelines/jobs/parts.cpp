// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/parts.h"

#include <algorithm>

namespace tandem {

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

  uint64_t start_ns = shown.front().pts_ns;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const CodedFrame& frame = shown[i];
    if (!frame.key || frame.pts_ns - start_ns < least_ns) continue;
    Part& before = parts.back();
    before.frames = i - before.first_frame;
    before.end_ns = start_ns = frame.pts_ns;
    parts.push_back({i, std::nullopt, frame.pts_ns, std::nullopt, frame.seek_ns});
  }
  return parts;
}

}  // namespace tandem
