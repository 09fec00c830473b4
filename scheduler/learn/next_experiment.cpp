// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_experiment.h"

#include <algorithm>
#include <limits>
#include <span>

#include "scheduler/learn/keep_up.h"
#include "scheduler/learn/looks.h"
#include "scheduler/learn/next_lanes.h"
#include "scheduler/learn/next_letter.h"
#include "scheduler/learn/next_look.h"
#include "scheduler/learn/next_measurement.h"
#include "scheduler/learn/next_overlap.h"
#include "scheduler/learn/next_split.h"
#include "scheduler/learn/next_threads.h"
#include "scheduler/learn/promises.h"
#include "scheduler/learn/simplest.h"
#include "scheduler/learn/worth.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

// Configurations that are tried after the experiments, at most: on 200 of 200 random chips the best
// was among the first twelve (docs/decisions/0006-coupled-mappings.md). Of coupled mappings the
// model errs by 2% on average, and seldom by more than kModelError: what promises less than that
// below what was measured is not tried. Where frames take longer than kCheap_s a gain has to be
// promised.
constexpr double kModelError = 0.1, kPriorError = 0.15;
struct Effort {
  int most_trials;
  double worth_a_trial;  // the gain that has to be promised
  double expected_gain;  // and that has to be expected
};
constexpr Effort kEffort{12, 0.02, 0.004};
// With up to kSomeCores cores a trial costs few frames, and one thread more is much, unless the
// device is made of them.
constexpr Effort kEffortOfSomeCores{16, 0.005, 0.002};
// Numbers of threads that collapsed: no number does better then.
constexpr int kMostCollapses = 3;
// Rates that are no further apart are equal where lanes alone differ.
constexpr double kEqualLanes = 0.02;
// A trial has to promise so much where frames take longer than kCheap_s.
constexpr double kWorthADearTrial = 0.05;
// With each trial before it so much more gain has to be expected.
constexpr double kMorePerTrial = 0.1;
// After them, other numbers of threads and lanes of the best mapping, at most.
constexpr int kMostRefinements = 6;
// With up to kSomeCores cores, what is so near the best is tried with other lanes.
constexpr double kNear = 0.03;
// What another driver of the device is expected to gain, before it is tried.
constexpr double kGainOfADriver = 0.03;

/// What is found out next, by kind, in this order. Each answers with a plan, or nothing when
/// nothing of its kind is worth it.
class Finder {
 public:
  Finder(const Facts& facts, const Findings& findings, const Objective& objective,
         const Constraints& allowed, const Predictor& predictor)
      : facts_(facts),
        findings_(findings),
        measurements_(findings.measurements),
        trials_(findings.trials),
        objective_(objective),
        allowed_(allowed),
        predictor_(predictor),
        prior_(facts.prior),
        effort_(facts.chain.cores <= kSomeCores && !needs_latency(objective) &&
                        !is_made_of_cores(measurements_)
                    ? kEffortOfSomeCores
                    : kEffort),
        expected_lanes_(prior_.best_of(facts.chain.lanes)),
        glances_(tandem::glances(facts.observations)),
        impatience_(impatience(facts)),
        spread_(spread_of_looks(facts.observations)),
        promises_(facts, findings, objective, spread_) {
    for (const Trial& trial : trials_)
      best_fps_ = std::max(best_fps_, trial.measured.throughput_fps);
  }

  Next next() {
    if (const auto plan = of_the_model()) return {plan, {}};
    // A source that does not keep the threads busy tells nothing about rates.
    if (findings_.starved) return {{}, best_of(Which::all)};
    measured_ = best_of(Which::measured);
    if (const auto plan = look_at_cores(false)) return {plan, {}};
    const Choice coupled = best_of(Which::coupled), decoupled = best_of(Which::decoupled);
    if (const auto plan = promising(coupled, decoupled)) return {plan, {}};
    if (measured_.count == 0) return {{}, coupled.count > 0 ? coupled : decoupled};
    if (const auto plan = refinement()) return {plan, {}};
    if (const auto plan = comparison()) return {plan, {}};
    if (const auto plan = look_at_cores(true)) return {plan, {}};
    return {{}, measured_};
  }

 private:
  std::optional<Plan> of_the_model() const {
    if (auto plan = next_measurement(facts_, findings_, objective_, allowed_)) return plan;
    if (auto plan = next_split(facts_, findings_, objective_, allowed_, predictor_)) return plan;
    return next_letter(facts_, findings_, objective_, allowed_);
  }

  // What no trial had, and promises more than all that did: of that, what may gain most.
  std::optional<Plan> promising(const Choice& coupled, const Choice& decoupled) const {
    const Candidate* most = nullptr;
    double most_gain = 0;
    for (const Choice* choice : {&coupled, &decoupled}) {
      for (int i = 0; i < choice->count; ++i) {
        const Candidate& candidate = choice->ranked[static_cast<std::size_t>(i)];
        if (!promises(candidate)) continue;
        const double gain = expected_gain(candidate);
        if (most && gain <= most_gain) continue;
        most = &candidate;
        most_gain = gain;
      }
    }
    if (!most || glances_ >= effort_.most_trials || !is_worth(most_gain)) return std::nullopt;
    const Configuration& next = most->configuration;
    return attempt(is_cheap(next) ? next : with_fewest_lanes(next), Kind::glance);
  }

  // That promise as much: each lane more is a frame more under way, which a trial of long frames
  // waits for.
  Configuration with_fewest_lanes(Configuration configuration) const {
    const double enough = (1 - kEqualLanes) * predicted(configuration).prediction.throughput_fps;
    for (Configuration fewer = configuration; fewer.lanes > 1;) {
      fewer.lanes /= 2;
      if (!allowed_(fewer) || find_trial(trials_, fewer) ||
          !(predicted(fewer).prediction.throughput_fps >= enough))
        break;
      configuration = fewer;
    }
    return configuration;
  }

  // Of what can be compared with something.
  double expected_gain(const Candidate& candidate) const {
    return measured_.count == 0 ? std::numeric_limits<double>::infinity()
                                : promises_.expected_gain(candidate, measured_.best().prediction);
  }

  bool is_worth(double gain) const {
    return gain >= effort_.expected_gain * (1 + glances_ * kMorePerTrial) * impatience_ &&
           worth_a_trial(gain, facts_, objective_);
  }

  // Other letters, threads, lanes and bands of the best.
  std::optional<Plan> refinement() const {
    if (const auto letters = promising_letters(facts_, findings_, measured_, allowed_))
      return attempt(*letters, Kind::glance);
    const bool in_the_way = cores_are_in_the_way(measurements_, best_fps_);
    const auto as_expected = [&](const Configuration& configuration) {
      return worth_switching(
          measured_.best().prediction, predicted(configuration).prediction, measured_.objective,
          margin_of(measured_.objective, in_the_way ? kRisk : effort_.worth_a_trial));
    };
    if (const auto fewer = before_the_collapse(trials_, as_expected);
        refines(fewer) && is_worth(expected_gain(predicted(*fewer))))
      return attempt(*fewer, Kind::glance);
    if (const auto fewer = as_few_lanes(measured_.best().configuration, trials_, expected_lanes_);
        refines(fewer))
      return attempt(*fewer, Kind::glance);
    const int most_lanes = facts_.chain.lanes.empty() ? 1 : facts_.chain.lanes.back();
    for (const auto& other : {between_the_tried(measured_, trials_, facts_.chain.cores),
                              more_on_cores(measured_, measurements_, trials_),
                              expected_on_cores(measured_, best_of(Which::all), trials_),
                              other_lanes(measured_, trials_, most_lanes)})
      if (refines(other) && may_be_better(*other)) return attempt(*other, Kind::glance);
    if (const auto beside = beside_the_best(measured_, trials_, facts_.chain, kNear);
        refines(beside) && (facts_.chain.cores <= kSomeCores || is_cheap(*beside)))
      return attempt(*beside, Kind::glance);
    const auto near = [this](const Configuration& other) {
      return refines(other) && !is_behind(other);
    };
    if (const auto unproven = unproven_lanes(measured_, trials_, facts_, near))
      return attempt(*unproven, Kind::glance);
    if (const auto driver = another_driver(measured_, trials_, facts_.chain);
        driver && is_worth_a_driver(*driver))
      return attempt(*driver, Kind::glance);
    if (const auto bands = other_tasks(measured_, trials_, facts_.chain, prior_); refines(bands))
      return attempt(*bands, Kind::glance);
    return std::nullopt;
  }

  // Which of near equals is better.
  std::optional<Plan> comparison() {
    if (const auto lone = second_chance(measured_, findings_, facts_);
        lone && allowed_(*lone) && is_cheap(*lone))
      return attempt(*lone, Kind::look);
    if (const auto whole = whole_beside_split(findings_, measured_, allowed_, predictor_))
      return attempt(*whole, Kind::look);
    put_simplest_first(measured_, facts_, findings_);
    if (const Candidate* early = measured_too_early(measured_, facts_, measurements_))
      return attempt(early->configuration, Kind::look);
    if (const Candidate* equal = worth_a_look(measured_, findings_, facts_, expected_lanes_);
        equal && !has_just_run(equal->configuration))
      return attempt(equal->configuration, Kind::look);
    return std::nullopt;
  }

  std::optional<Plan> look_at_cores(bool is_last) const {
    const auto cores = slowed_cores(measured_, findings_, facts_, is_last);
    const bool worth_it = cores && allowed_(*cores) && is_cheap(*cores);
    return worth_it ? std::optional(attempt(*cores, Kind::look)) : std::nullopt;
  }

  // A look at frames so long that few of them are an experiment would see the same once more.
  bool has_just_run(const Configuration& configuration) const {
    const Observation& last = facts_.observations.back();
    return is_of_rate_alone(objective_) && last.kind == Kind::experiment &&
           last.configuration == configuration && last.frame_s > kCheap_s;
  }

  Choice best_of(Which which) const {
    return predictor_.choose(measurements_, objective_, allowed_, trials_, which);
  }

  Plan attempt(const Configuration& configuration, Kind kind) const {
    const bool meters = kind == Kind::look;
    // What answers soonest or draws least may be as slow as it likes.
    const bool may_be_slow =
        objective_.metric == Metric::latency || (meters && needs_energy(objective_));
    const double slow_fps = may_be_slow ? 0 : kTooSlow * best_fps_;
    return {configuration, kind, latency_s(measurements_, configuration), slow_fps, meters};
  }

  Candidate predicted(const Configuration& configuration) const {
    return {configuration, predictor_.predict(measurements_, configuration)};
  }

  // Frames of the best one are what a trial waits for first, and what comes after it.
  bool is_cheap(const Configuration& configuration) const {
    const auto is_short = [this](const Configuration& one) {
      return latency_s(measurements_, one) < kCheap_s;
    };
    return is_short(configuration) &&
           (measured_.count == 0 || is_short(measured_.best().configuration));
  }

  // Whether others like it tell enough: a risk where another one fell short, and threads beside a
  // device where so many numbers of them collapsed.
  bool is_vain(const Configuration& configuration) const {
    if (!is_led_by_rate(objective_) || facts_.chain.cores <= kSomeCores) return false;
    const auto risky = [&](const Configuration& other) {
      return is_risky(other, measurements_, best_fps_);
    };
    const auto fell_short = [&](const Trial& trial) {
      return risky(trial.configuration) && trial.measured.throughput_fps < best_fps_;
    };
    return (risky(configuration) && std::ranges::any_of(trials_, fell_short)) ||
           collapses(trials_, configuration) >= kMostCollapses;
  }

  bool promises(const Candidate& candidate) const {
    if (measured_.count == 0) return true;
    if (is_vain(candidate.configuration)) return false;
    const Configuration& configuration = candidate.configuration;
    const bool cheap = is_cheap(configuration);
    double promise = cheap
                         ? promise_of(configuration, trials_, effort_.worth_a_trial,
                                      is_made_of_cores(measurements_) ? kOneSideError : kModelError)
                         : kWorthADearTrial;
    // A trial that hardly surprises has to be expected to keep its promise where it costs more than
    // a few frames.
    if (promise > 0 && (!cheap || facts_.chain.cores > kSomeCores))
      promise = (1 + promise) * promises_.falls_short(configuration, !cheap) - 1;
    if (is_led_by_rate(objective_) && is_risky(configuration, measurements_, best_fps_))
      promise = kRisk;
    return worth_switching(measured_.best().prediction, candidate.prediction, measured_.objective,
                           margin_of(measured_.objective, promise));
  }

  bool refines(const std::optional<Configuration>& other) const {
    return other && allowed_(*other) && !is_vain(*other) &&
           glances_ < effort_.most_trials + kMostRefinements;
  }

  bool may_be_better(const Configuration& other) const {
    Candidate candidate = predicted(other);
    const Prediction expected = corrected(trials_, other, candidate.prediction);
    const bool may_surprise =
        is_cheap(other) && !other.mapping.decoupled() && !lanes_seen_to_fall_short(trials_, other);
    // So few numbers of threads are all tried: the model errs most where cores are fewest, and
    // hardly beside a device that is made of them.
    if (may_surprise && facts_.chain.cores <= kFewCores && !is_made_of_cores(measurements_))
      return worth_a_trial(kModelError, facts_, objective_);
    // Where more threads collapsed it may do what it would without that.
    if (!may_surprise || expected.throughput_fps > candidate.prediction.throughput_fps)
      candidate.prediction = expected;
    // What lanes gain that were not measured is what others gained elsewhere.
    const bool lanes = prior_.expects_any() &&
                       other.lanes != measured_.best().configuration.lanes &&
                       !measured_lanes(facts_, other.lanes);
    const double error = !may_surprise ? 0 : lanes ? kPriorError : kModelError;
    const double gain = promises_.expected_gain(candidate, measured_.best().prediction, error);
    return (may_surprise || promises(candidate)) && is_worth(gain);
  }

  // Further than the model errs.
  bool is_behind(const Configuration& other) const {
    return worth_switching(by_the_best(predicted(other)).prediction, measured_.best().prediction,
                           measured_.objective, margin_of(measured_.objective, kModelError));
  }

  // What it draws and how soon it answers is no reason to try one.
  // A frame that it computes itself must not hold up the device.
  bool is_worth_a_driver(const Configuration& other) const {
    const bool holds_up =
        other.granularity == Granularity::coarse && measurements_.cg[0].seconds > kHoldsUp_s;
    return is_of_rate_alone(objective_) && !holds_up && allowed_(other) && is_cheap(other) &&
           !is_behind(other) && is_worth(kGainOfADriver);
  }

  // Where the best does more than was expected of it, so may others of its mapping.
  Candidate by_the_best(Candidate other) const {
    const Candidate& best = measured_.best();
    if (other.configuration.mapping != best.configuration.mapping) return other;
    const Prediction expected = predicted(best.configuration).prediction;
    const double more = best.prediction.throughput_fps / expected.throughput_fps;
    if (more > 1) other.prediction = at_ratio(other.prediction, more);
    return other;
  }

  const Facts& facts_;
  const Findings& findings_;
  const Measurements& measurements_;
  const std::vector<Trial>& trials_;
  const Objective& objective_;
  const Constraints& allowed_;
  const Predictor& predictor_;
  const LanePrior& prior_;
  const Effort effort_;
  const int expected_lanes_, glances_;
  const double impatience_;
  const double spread_;  // of looks
  const Promises promises_;
  double best_fps_ = 0;
  Choice measured_;  // of what experiments and trials had
};

}  // namespace

Next next_experiment(const Facts& facts, const Findings& findings, const Objective& objective,
                     const Constraints& allowed, const Predictor& predictor) {
  Finder finder(facts, findings, objective, allowed, predictor);
  Next next = keep_up(finder.next(), facts, findings, objective);
  if (!next.plan) return next;
  next.plan = as_in_service(*next.plan, facts.chain, objective);
  next.plan->source_fps = brought_fps(facts.observations);
  return next;
}

}  // namespace tandem
