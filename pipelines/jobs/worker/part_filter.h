// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipelines/jobs/job.h"

namespace tandem {

/// Selects the frames of a part from decoded frames in the order of presentation, which begin
/// before the part. It never guesses: a part with other frames than expected has a problem.
class PartFilter {
 public:
  explicit PartFilter(const Part& part) : part_(part) {}

  enum class Verdict {
    kDrop,    ///< the frame is of an earlier part
    kPass,    ///< it is of this one
    kTooLate  ///< it is of this one, and an earlier one is missing: seek again, further ahead
  };
  /// None: the part is over, and the frame is behind it.
  std::optional<Verdict> see(std::optional<uint64_t> pts_ns) {
    const bool bounded = part_.start_ns || part_.end_ns;
    // A frame without a time has no place among the parts.
    if (bounded && !pts_ns) return Verdict::kDrop;
    if (part_.start_ns && *pts_ns < *part_.start_ns) return Verdict::kDrop;
    if (part_.end_ns && *pts_ns >= *part_.end_ns) return std::nullopt;
    if (part_.start_ns && passed_ == 0 && *pts_ns != *part_.start_ns) return Verdict::kTooLate;
    ++passed_;
    return Verdict::kPass;
  }

  uint64_t passed() const { return passed_; }
  /// After the last frame: the reason why the passed frames are not the part; empty: they are.
  std::string problem() const {
    if (part_.frames ? passed_ == *part_.frames : passed_ > 0) return {};
    if (!part_.frames) return "no frame of video came out of this part of the video";
    return std::to_string(passed_) + " frames came out of this part of the video instead of " +
           std::to_string(*part_.frames);
  }
  /// The decoder begins again, further ahead.
  void restart() { passed_ = 0; }

 private:
  const Part part_;
  uint64_t passed_ = 0;
};

}  // namespace tandem
