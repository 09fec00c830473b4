// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/part_gate.h"

namespace tandem {

std::optional<PartGate::Verdict> PartGate::see(std::optional<uint64_t> pts_ns) {
  const bool bounded = part_.start_ns || part_.end_ns;
  // A frame without a time has no place among the parts.
  if (bounded && !pts_ns) return Verdict::kDrop;
  if (part_.start_ns && *pts_ns < *part_.start_ns) return Verdict::kDrop;
  if (part_.end_ns && *pts_ns >= *part_.end_ns) return std::nullopt;
  if (part_.start_ns && passed_ == 0 && *pts_ns != *part_.start_ns) return Verdict::kTooLate;
  ++passed_;
  return Verdict::kPass;
}

std::string PartGate::problem() const {
  if (part_.frames ? passed_ == *part_.frames : passed_ > 0) return {};
  if (!part_.frames) return "no frame of video came out of this part of the video";
  return std::to_string(passed_) + " frames came out of this part of the video instead of " +
         std::to_string(*part_.frames);
}

}  // namespace tandem
