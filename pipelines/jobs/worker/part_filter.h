// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipelines/jobs/job.h"

namespace tandem {

/// Picks the frames of a part from those that a decoder gives in the order of presentation, from
/// somewhere before the part on. It never guesses: a part whose frames are not those that were
/// expected has a problem.
class PartFilter {
 public:
  explicit PartFilter(const Part& part) : part_(part) {}

  enum class Verdict {
    kDrop,    ///< the frame is of an earlier part
    kPass,    ///< it is of this one
    kTooLate  ///< it is of this one, and one before it is missing: begin again further ahead
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
  /// When no further frame comes: why what passed is not the part; empty: it is.
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
