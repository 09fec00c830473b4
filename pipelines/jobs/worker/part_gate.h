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
class PartGate {
 public:
  explicit PartGate(const Part& part) : part_(part) {}

  enum class Verdict {
    kDrop,    ///< the frame is of an earlier part
    kPass,    ///< it is of this one
    kTooLate  ///< it is of this one, and one before it is missing: begin again further ahead
  };
  /// None: the part is over, and the frame is behind it.
  std::optional<Verdict> see(std::optional<uint64_t> pts_ns);

  uint64_t passed() const { return passed_; }
  /// When no further frame comes: why what passed is not the part; empty: it is.
  std::string problem() const;
  /// The decoder begins again, further ahead.
  void restart() { passed_ = 0; }

 private:
  const Part part_;
  uint64_t passed_ = 0;
};

}  // namespace tandem
