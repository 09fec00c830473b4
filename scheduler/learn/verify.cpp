// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/verify.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "scheduler/learn/next_lanes.h"

namespace tandem {
namespace {

constexpr double kHolds = 0.15;
constexpr std::size_t kLooksAtTheSame = 4, kLooksAtDerived = 3, kLooksAtSlower = 4;
// Other numbers of threads or of lanes of what was looked at err alike: they have to promise more.
constexpr double kWorthALook = 0.05;
// Errors of different configurations that are no further apart may be one that all of them share.
constexpr double kAgree = 1.5;
constexpr double kFastEnough = 0.25;

double rate(const Observation& look) { return 1 / look.frame_s; }

bool alike(const Configuration& a, const Configuration& b) {
  return a.mapping == b.mapping && a.granularity == b.granularity;
}

bool needs_both_sides(const Configuration& configuration) {
  return configuration.mapping.any_device() && !configuration.mapping.decoupled();
}

// Looks at what runs cost nothing. Threads that begin together make one look too slow and the next
// one too fast: both together are right.
Verdict verify_remembered(const Learnt& learnt, std::span<const Observation> looks) {
  const Candidate& chosen = learnt.chosen;
  const auto as_expected = [&](double fps) {
    return std::abs(fps / chosen.prediction.throughput_fps - 1) <= kHolds;
  };
  double frames = 0, seconds = 0;
  for (const Observation& look : looks) {
    frames += look.frames;
    seconds += look.frames * look.frame_s;
    if (as_expected(rate(look)) || as_expected(frames / seconds))
      return {Verdict::Is::holds, {}, chosen};
  }
  if (looks.size() < kLooksAtTheSame) return {Verdict::Is::open, chosen.configuration, {}};
  return {Verdict::Is::stale};
}

/// What looks say of derived knowledge.
class Derived {
 public:
  Derived(const Learnt& learnt, std::span<const Observation> looks, const Objective& objective,
          const Constraints& allowed, const Predictor& predictor)
      : learnt_(learnt), objective_(objective), allowed_(allowed), predictor_(predictor) {
    for (const Observation& look : looks) take(look);
  }

  Verdict verdict() const {
    if (looked_at_.empty()) return {Verdict::Is::open, learnt_.chosen.configuration, {}};
    const bool slower = learnt_.origin == Learnt::Origin::slower;
    const bool agree = errors_agree();
    std::optional<Candidate> next = slower ? best_tried() : std::nullopt;
    // What the cores are taken for makes some configurations slow and leaves others as they were:
    // one that ran before may be the best, whatever others say of it.
    const double most_ratio = kAgree * ratio_in_doubt(best_.configuration);
    if (!agree && !next && slower && best_ratio_ >= 1 - kHolds && best_ratio_ <= most_ratio)
      return {Verdict::Is::holds, {}, best_};
    if (!agree && (!next || looked_at_.size() >= kLooksAtSlower))
      return {Verdict::Is::stale, {}, best_};
    if (!next) next = best_rival();
    if (!next && (error_ > 1 + kHolds || is_first_of_another_size())) next = best_witness();
    if (!next) return {Verdict::Is::holds, {}, best_};
    if (looked_at_.size() < (slower ? kLooksAtSlower : kLooksAtDerived))
      return {Verdict::Is::open, next->configuration, {}};
    return {Verdict::Is::stale, {}, best_};
  }

 private:
  // The one that was looked at may do as expected by chance, where others would do much better.
  bool is_first_of_another_size() const {
    return learnt_.origin == Learnt::Origin::other_sizes && looked_at_.size() == 1;
  }

  struct Looked {
    Configuration configuration;
    double ratio;  // of the rate, to what was expected
  };

  Prediction expected(const Configuration& configuration) const {
    const Findings& findings = learnt_.findings;
    return corrected(findings.trials, configuration,
                     predictor_.predict(findings.measurements, configuration));
  }

  void take(const Observation& look) {
    const Prediction before = expected(look.configuration);
    const double ratio = rate(look) / before.throughput_fps;
    const Candidate seen{look.configuration, at_ratio(before, ratio)};
    if (looked_at_.empty() || worth_switching(best_.prediction, seen.prediction, objective_, 0)) {
      best_ = seen;
      best_ratio_ = ratio;
    }
    error_ = std::max({error_, ratio, 1 / ratio});
    looked_at_.push_back({look.configuration, ratio});
  }

  // What lanes gain is not an error that all share: the lanes that did most of their promise tell
  // what the others may do.
  bool errors_agree() const {
    double most = 0, least = std::numeric_limits<double>::infinity();
    for (const Looked& looked : looked_at_) {
      most = std::max(most, looked.ratio);
      const bool other_lanes_do_more = std::ranges::any_of(looked_at_, [&](const Looked& other) {
        return other.ratio > looked.ratio &&
               differ_in_lanes_alone(other.configuration, looked.configuration);
      });
      if (!other_lanes_do_more) least = std::min(least, looked.ratio);
    }
    return most <= kAgree * least;
  }

  // What it may reach: other numbers of threads and lanes err as those that were looked at, other
  // mappings may err as much the other way.
  Prediction hoped(const Configuration& other) const {
    double alike_ratio = 0;
    for (const Looked& looked : looked_at_)
      if (alike(looked.configuration, other)) alike_ratio = std::max(alike_ratio, looked.ratio);
    return at_ratio(expected(other), alike_ratio > 0 ? alike_ratio : error_);
  }

  // What others that need many cores, or few, did of what was expected of them.
  double ratio_by_cores(const Configuration& other) const {
    double sum = 0;
    int alike = 0;
    for (const Looked& looked : looked_at_) {
      if (needs_cores(looked.configuration) != needs_cores(other)) continue;
      sum += std::log(looked.ratio);
      ++alike;
    }
    return alike == 0 ? ratio_in_doubt(other) : std::exp(sum / alike);
  }

  // A device whose threads wait for the cores seems slow. With few threads it may do as before.
  double ratio_in_doubt(const Configuration& other) const {
    const bool doubted = other.mapping.any_device() && !needs_cores(other);
    return doubted ? std::max(1.0, learnt_.device_takes) : 1;
  }

  bool needs_cores(const Configuration& configuration) const {
    const Measurements& m = learnt_.findings.measurements;
    return configuration.granularity == Granularity::medium ||
           (2 * configuration.threads > m.cores && configuration.threads > m.devices);
  }

  // The best configuration that ran before frames took another time: the model errs less there.
  std::optional<Candidate> best_tried() const {
    return best_of([&](const Configuration& other) -> std::optional<Prediction> {
      const Prediction one = at_ratio(expected(other), ratio_by_cores(other));
      return find_trial(learnt_.findings.trials, other) &&
                     worth_switching(best_.prediction, one, objective_, kWorthALook)
                 ? std::optional(one)
                 : std::nullopt;
    });
  }

  std::optional<Candidate> best_rival() const {
    return best_of([&](const Configuration& other) -> std::optional<Prediction> {
      const Prediction may_reach = hoped(other);
      return worth_switching(best_.prediction, may_reach, objective_, kWorthALook)
                 ? std::optional(may_reach)
                 : std::nullopt;
    });
  }

  // What tells whether all err alike: the best of another kind, unless that makes the stream slow.
  // One side alone tells most of a choice that needs both.
  std::optional<Candidate> best_witness() const {
    const Configuration& first = looked_at_[0].configuration;
    for (const Looked& looked : looked_at_)
      if (!alike(looked.configuration, first)) return std::nullopt;
    const auto best_among = [&](auto&& wanted) {
      return best_of([&](const Configuration& other) -> std::optional<Prediction> {
        const Prediction one = expected(other);
        const bool fast = one.throughput_fps > kFastEnough * best_.prediction.throughput_fps;
        return fast && wanted(other) ? std::optional(one) : std::nullopt;
      });
    };
    if (needs_both_sides(first))
      if (const auto one_side = best_among(std::not_fn(needs_both_sides))) return one_side;
    return best_among([&](const Configuration& other) { return !alike(other, first); });
  }

  // Of what was not looked at; `promise`: what it is compared by, none to leave it out.
  template <class Promise>
  std::optional<Candidate> best_of(Promise&& promise) const {
    const Measurements& m = learnt_.findings.measurements;
    uint32_t capable = 0;
    for (std::size_t k = 0; k < m.stages.size(); ++k)
      if (m.stages[k].has_device) capable |= 1u << k;
    std::vector<int> lanes{1};
    for (int n = 2; n <= kMaxLanes; ++n)
      if (known(m.lane_factors[n - 1].seconds)) lanes.push_back(n);
    std::optional<Candidate> best;
    for (const Configuration& other :
         all_configurations(static_cast<int>(m.stages.size()), m.cores, capable, lanes)) {
      const bool seen = std::ranges::any_of(
          looked_at_, [&](const Looked& looked) { return looked.configuration == other; });
      if (seen || !allowed_(other)) continue;
      if (!known(expected(other).throughput_fps)) continue;
      const std::optional<Prediction> promised = promise(other);
      if (promised && (!best || worth_switching(best->prediction, *promised, objective_, 0)))
        best = {other, *promised};
    }
    return best;
  }

  const Learnt& learnt_;
  const Objective& objective_;
  const Constraints& allowed_;
  const Predictor& predictor_;
  std::vector<Looked> looked_at_;
  Candidate best_;
  double best_ratio_ = 1;
  double error_ = 1;  // the greatest so far, as a factor above one
};

}  // namespace

Verdict verify(const Learnt& learnt, std::span<const Observation> looks, const Objective& objective,
               const Constraints& allowed, const Predictor& predictor) {
  if (!learnt.derived()) return verify_remembered(learnt, looks);
  return Derived(learnt, looks, objective, allowed, predictor).verdict();
}

}  // namespace tandem
