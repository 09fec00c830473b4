// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "scheduler/learn/belief/next_experiment.h"
#include "scheduler/learn/facts/conditions.h"

namespace tandem {

/// What is known of frames of one kind.
struct Learnt {
  enum class Origin {
    training,     ///< of a bin of this process
    file,         ///< a training of an earlier process
    other_sizes,  ///< derived from trainings on frames of other sizes
    slower,       ///< derived from a training before frames took another time
  };

  Facts facts;        ///< of the latest training
  Findings findings;  ///< what they mean
  Candidate chosen;
  Objective objective;  ///< for which, and ...
  Constraints allowed;  ///< ... among which, `chosen` is the best that was found
  Origin origin = Origin::training;
  double pixels_off = 0;  ///< `other_sizes`: logarithm of the pixels, by those of the nearest size
  bool verified = true;   ///< it holds now, as far as anybody looked
  uint64_t version = 0;   ///< of what bins share, greater than all before; 0: not shared

  bool derived() const { return origin == Origin::other_sizes || origin == Origin::slower; }
};

/// What the bins of a process tell each other: bins with the same stages learn once for all.
class SharedKnowledge {
 public:
  /// Returns its version.
  uint64_t publish(const Conditions& conditions, const Learnt& learnt);
  /// What is known under these and newer than `version`.
  std::optional<Learnt> newer(const Conditions& conditions, uint64_t version) const;

 private:
  mutable std::mutex mutex_;
  uint64_t latest_ = 0;
  std::map<Conditions, Learnt> known_;
};

/// All that was learnt. Outlives the streams that fill it.
using Knowledge = std::map<Conditions, Learnt>;

}  // namespace tandem
