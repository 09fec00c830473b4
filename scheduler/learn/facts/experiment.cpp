// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/facts/experiment.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "scheduler/learn/facts/energy_track.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

constexpr double kLeastSeconds = 0.05;   // what the clock needs
constexpr double kDeviceSeconds = 0.15;  // until its clocks have risen to work
constexpr double kMostSeconds = 2;
constexpr int kLeastRounds = 2, kLeastSamples = 5;
// After so long fewer samples are enough, as their frames are long.
constexpr double kLongSeconds = 0.5;
constexpr int kFewSamples = 2;  // and of a further letter, which may be no help at all
// Frames whose stages are timed one by one take several times longer. So many are enough, or beside
// busy cores one a thread, or kFewSamples after kLongSeconds.
constexpr int kManyParts = 50;
// How many times longer than another first frame one takes that finds its memory untouched.
constexpr uint64_t kSlowStart = 2;

// Latencies of the slowest path, and of long ones, that a trial lasts.
constexpr double kLeastLatencies = 2, kLongLatencies = 1;
constexpr double kMostMaking_s = 0.1, kMostLongMaking_s = 1;  // that is waited for
// A trial lasts at least so long, and then until it has so many frames or so many seconds.
struct Enough {
  double least_seconds;
  int frames;
  double seconds;
};
constexpr Enough kGlance{0.1, 50, 0.5}, kLook{0.25, 60, 0.5}, kRest{0.07, 3, 0.07};

// The number of frames in a round.
int frames_at_a_time(const Configuration& configuration, int devices) {
  if (configuration.granularity == Granularity::medium) return configuration.frames_at_once;
  const bool on_device = configuration.mapping.any_device();
  return configuration.threads + (on_device ? devices * configuration.lanes - 1 : 0);
}

// The stages that a device computes for such a frame.
uint32_t device_part(const FrameTimes& times) {
  return times.configuration.mapping.device_stages() & ~times.left_out;
}

// Whether a device has a part in such a frame, if it finds the time.
bool is_for_a_device(const FrameTimes& times) {
  const Mapping& mapping = times.configuration.mapping;
  return ((mapping.device_stages() | mapping.split_stages()) & ~times.left_out) != 0;
}

// Under medium grain with one lane few frames are under way, so the pipeline is full after
// kCheap_s.
bool has_filled(const Configuration& configuration, int period, int frames, double lasted_s) {
  const bool few = configuration.granularity == Granularity::medium && configuration.lanes == 1;
  return frames > period * configuration.threads || (few && lasted_s > kCheap_s);
}

}  // namespace

Plan as_in_service(Plan plan, const Chain& chain, const Objective& objective) {
  plan.spaced =
      least_latency(objective) && plan.kind != Kind::stages && plan.kind != Kind::beside &&
      one_frame_at_a_time(plan.configuration, devices_of(chain, plan.configuration.mapping));
  return plan;
}

double glance_s(double fps, double fill_s) {
  return std::max({kGlance.least_seconds, std::min(kGlance.frames / fps, kGlance.seconds),
                   kLeastLatencies * fill_s});
}

Experiment::Experiment(const Plan& plan, const Chain& chain, double counter_s, ReadProbe read_probe)
    : plan_(plan),
      chain_(chain),
      devices_(devices_of(chain, plan.configuration.mapping)),
      counter_s_(plan.meters ? counter_s : 0),
      read_probe_(std::move(read_probe)) {
  if (!known(plan_.fill_s)) plan_.fill_s = 0;  // nobody has measured its slowest path
  if (is_trial(plan_.kind) && !is_long_trial()) memory_.begin(read_probe_());
}

bool Experiment::take(const FrameTimes& times, uint32_t device_stages) {
  if (!(Step{times.configuration, times.stages_apart, times.spaced} == plan_.step())) {
    others_end_ns_ = std::max(others_end_ns_, times.end_ns);
    return false;
  }
  if (seen_++ == 0) first_ns_ = times.begin_ns;
  last_ns_ = times.begin_ns;
  return is_trial(plan_.kind) ? take_trial(times, device_stages)
                              : take_sample(times, device_stages);
}

void Experiment::count(const FrameTimes& times, uint32_t device_stages) {
  ++counted_;
  busy_.add(busy_of(times, device_stages, chain_));
  latencies_s_ += seconds(times.latency_ns());
  starved_ += times.starved ? 1 : 0;
  const auto same = std::ranges::find(kinds_, times.left_out, &FramesOfKind::left_out);
  if (same != kinds_.end()) {
    ++same->counted;
  } else {
    kinds_.push_back({times.left_out, 1});
  }
  if (begin_.energy && !counts_joules_)
    counts_joules_ = count_from_new_value(begin_, read_probe_());
}

bool Experiment::take_sample(const FrameTimes& times, uint32_t device_stages) {
  const Configuration& configuration = plan_.configuration;
  const int period = chain_.period;
  int round = period * frames_at_a_time(configuration, devices_);
  const bool in_parts = plan_.kind == Kind::stages;
  // One thread takes no energy from the stages one by one.
  const bool alone = in_parts && cores_beside(configuration, devices_) == 0;
  const bool beside = plan_.kind == Kind::beside;
  const bool on_core = device_stages == 0 && is_for_a_device(times);
  if (beside && seen_ == 1) begin_ = read_probe_();
  if (samples_.empty() && holds_up_others(times, device_stages))
    return end_with(times, device_stages);
  if (!warm_) {
    // The last frames of a first round of long ones had busy cores beside them all the time.
    const bool long_beside_cores =
        in_parts && !alone && seconds(times.service_ns()) > kCheap_s && 4 * seen_ >= 3 * round;
    if (!configuration.mapping.any_device()) wait_for_slow_start(times);
    if (beside && on_core && !is_first_round_over()) {
      others_end_ns_ = std::max(others_end_ns_, times.end_ns);
      ++cores_seen_;
    }
    warm_ = long_beside_cores ||
            (seen_ >= round && times.begin_ns >= others_end_ns_ && is_first_round_over());
    if (in_parts && !alone && device_stages == device_part(times)) first_round_.push_back(times);
    if (warm_) begin_ = read_probe_();
    if (warm_ && !long_beside_cores) first_round_.clear();
    start_ns_ = last_ns_;
    return false;
  }
  count(times, device_stages);
  if (may_pile_up()) under_way_s_.push_back(seconds(times.end_ns - times.begin_ns));
  latency_.add(times.latency_ns());
  if (beside) round = period * cores_beside(configuration, devices_);
  // A frame that the device left to the CPU says nothing of the device, and the other way round.
  // The device has computed a part of split stages if it took time for them.
  const uint32_t split = configuration.mapping.split_stages() & ~times.left_out;
  const bool both = split == 0 || times.split_device_ns > 0;
  if (beside && !is_for_a_device(times)) {
    for_no_device_.push_back(times);
  } else if (both && (device_stages & ~split) == (beside ? 0 : device_part(times))) {
    samples_.push_back(times);
  }

  const bool on_cores = !configuration.mapping.any_device();
  const bool slow = (beside || on_cores) && is_behind() &&
                    std::ssize(samples_) >= (beside ? 1 : std::max(period * kLeastSamples, round));
  double least_seconds = alone ? kLeastSeconds : std::max(kLeastSeconds, counter_s_);
  const double lasted = times.end_ns > begin_.now_ns ? seconds(times.end_ns - begin_.now_ns) : 0.0;
  // The device's clocks rise while whole frames are measured with one lane. Several lanes follow.
  const bool many_parts = in_parts && std::ssize(samples_) >= (alone ? period * kManyParts : round);
  if (configuration.mapping.any_device() && configuration.lanes == 1 && !beside && !many_parts)
    least_seconds = std::max(least_seconds, kDeviceSeconds);
  const bool is_long = seconds(times.end_ns - start_ns_) >= kLongSeconds;
  const bool few = is_long || configuration.mapping.any_further_letter();
  const int least_samples = few ? kFewSamples : kLeastSamples;
  int in_rounds = is_long ? round + period : kLeastRounds * round;
  if (in_parts && !alone) in_rounds = is_long ? 0 : round;
  const bool enough = std::ssize(samples_) >= std::max(period * least_samples, in_rounds) &&
                      lasted >= least_seconds;
  const bool too_long = lasted >= least_seconds + kMostSeconds;
  // Frames are taken in order: those behind one that a core computes would wait for it. Beside a
  // device that takes so many frames, the few that come to the cores tell enough of them.
  const bool device_took_them =
      beside && lasted >= kDeviceSeconds &&
      counted_ >= kTellingFrames * period * frames_at_a_time(configuration, devices_);
  if (counted_ % period != 0 && !slow) return false;
  if (!enough && !device_took_them && !slow &&
      !(too_long && (!samples_.empty() || counted_ >= period * kTellingFrames)))
    return false;
  end_ = read_probe_();
  return true;
}

// Frames come out in order, and more of them than the source has memory for, or the window lets in,
// cannot pass one that a core computes. The next one would hold them up as long. A first one that
// finds its memory untouched does not tell how long.
bool Experiment::holds_up_others(const FrameTimes& times, uint32_t device_stages) const {
  const bool on_core = plan_.kind == Kind::beside && !plan_.configuration.mapping.any_split() &&
                       device_stages == 0 && is_for_a_device(times);
  const double took_s = seconds(times.service_ns());
  const auto frames = std::max<uint64_t>(times.passed_by + 1, chain_.cores);
  return on_core && took_s >= kHoldsUp_s && took_s <= plan_.core_s &&
         static_cast<double>(kSlowStart * frames) <= took_s * plan_.slow_fps;
}

// Several cores beside a device begin together, and frames of the device wait for their first ones,
// which may make memory. A second round of longer frames would hold up the device for too long.
bool Experiment::is_first_round_over() const {
  const int cores = plan_.kind == Kind::beside ? cores_beside(plan_.configuration, devices_) : 0;
  return cores < 2 || cores_seen_ >= cores || plan_.core_s >= kHoldsUp_s ||
         seconds(last_ns_ - first_ns_) >= kHoldsUp_s;
}

// Counts the frames that passed this one, as far as they are known: they tell no joules.
bool Experiment::end_with(const FrameTimes& times, uint32_t device_stages) {
  samples_ = {times};
  kinds_ = {{times.left_out, 1}};
  counted_ = static_cast<int>(times.passed_by) + 1;
  starved_ = 0;
  busy_ = busy_of(times, device_stages, chain_);
  counts_joules_ = false;
  latency_.clear();
  latency_.add(times.latency_ns());
  start_ns_ = times.begin_ns;
  last_ns_ = times.end_ns;
  end_ = read_probe_();
  return true;
}

// A thread's first frame may take several times as long as others: its memory is touched for the
// first time. Frames that begin meanwhile wait for it, and do not count.
void Experiment::wait_for_slow_start(const FrameTimes& times) {
  const uint64_t took_ns = times.service_ns();
  least_ns_ = least_ns_ == 0 ? took_ns : std::min(least_ns_, took_ns);
  if (took_ns > most_ns_) {
    most_ns_ = took_ns;
    most_end_ns_ = times.end_ns;
  }
  if (most_ns_ > kSlowStart * least_ns_) others_end_ns_ = std::max(others_end_ns_, most_end_ns_);
}

bool Experiment::take_trial(const FrameTimes& times, uint32_t device_stages) {
  if (times.begin_ns >= others_end_ns_) latency_.add(times.latency_ns());
  if (start_ns_ == 0) {
    const double lasted_s = seconds(last_ns_ - first_ns_);
    const bool filled = has_filled(plan_.configuration, chain_.period, seen_, lasted_s) &&
                        lasted_s >= plan_.fill_s && times.begin_ns >= others_end_ns_;
    if (makes_memory(times, filled) || !filled) return is_slow();
    start_ns_ = last_ns_;
    begin_ = read_probe_();
    latency_.clear();
    return false;
  }
  if (is_slow()) return true;
  count(times, device_stages);
  if (may_pile_up()) under_way_s_.push_back(seconds(times.end_ns - times.begin_ns));
  const Enough& enough = plan_.kind == Kind::look ? kLook : plan_.rest ? kRest : kGlance;
  const double latencies = is_long_trial() ? kLongLatencies : kLeastLatencies;
  const double least_seconds =
      std::max({enough.least_seconds, latencies * plan_.fill_s, counter_s_});
  const double lasted_s = seconds(last_ns_ - start_ns_);
  if (counted_ % chain_.period != 0) return false;
  if (lasted_s < least_seconds) return false;
  // A look after a trial of long frames would wait for all that are under way once more.
  if (is_long_trial() ? counted_s() < enough.seconds
                      : counted_ < chain_.period * enough.frames && lasted_s < enough.seconds)
    return false;
  end_ = read_probe_();
  return true;
}

// More frames are under way than before: a driver locks the pages of their tensors, and threads
// wait for it.
bool Experiment::makes_memory(const FrameTimes& times, bool filled) {
  const double lasted_s = seconds(last_ns_ - first_ns_);
  if (is_long_trial())
    return memory_.is_made(read_probe_()) && lasted_s < plan_.fill_s + kMostLongMaking_s;
  const int round = chain_.period * frames_at_a_time(plan_.configuration, devices_);
  return filled && lasted_s < kMostMaking_s &&
         memory_.is_made(seen_, round, times.ready_ns, read_probe_);
}

bool Experiment::may_pile_up() const { return is_long_trial() || chain_.serial_stages != 0; }

bool Experiment::is_long_trial() const { return is_trial(plan_.kind) && plan_.fill_s > kCheap_s; }

// How much longer those of the second half of the frames that count were under way than those of
// the first half.
double Experiment::grew_s() const {
  const auto half = std::ssize(under_way_s_) / 2;
  if (half == 0) return 0;
  const auto begin = under_way_s_.begin(), end = under_way_s_.end();
  const double first_s = std::accumulate(begin, begin + half, 0.0);
  const double last_s = std::accumulate(end - half, end, 0.0);
  return (last_s - first_s) / static_cast<double>(half);
}

// From the first of the frames that count to the last one. Where frames are under way for as long
// as they are counted, more of them may begin than leave. Their time under way then grows by twice
// what it does between the halves. A frame that is under way counts as half done, so the frames
// took longer than from begin to begin by half of that growth.
double Experiment::counted_s() const {
  const double began_s = seconds(last_ns_ - start_ns_);
  return may_pile_up() ? std::max(began_s / 2, began_s + grew_s()) : began_s;
}

// Whether frames that began after those of other configurations were out had too low a rate.
bool Experiment::is_behind() {
  if (last_ns_ < others_end_ns_) return false;
  if (alone_++ == 0) alone_ns_ = last_ns_;
  if (alone_ % chain_.period != 0) return false;
  const double lasted_s = seconds(last_ns_ - alone_ns_);
  return lasted_s >= kHoldsUp_s && alone_ <= lasted_s * plan_.slow_fps;
}

// The observation is then made of these frames alone.
bool Experiment::is_slow() {
  if (!is_behind()) return false;
  start_ns_ = alone_ns_;
  under_way_s_.clear();
  counted_ = alone_;
  starved_ = 0;
  latencies_s_ = 0;
  counts_joules_ = false;
  begin_ = end_ = read_probe_();
  return true;
}

}  // namespace tandem
