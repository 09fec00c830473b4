// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/experiment.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>

#include "model/estimator.h"
#include "scheduler/learn/energy_track.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

constexpr double kLeastSeconds = 0.05;   // what the clock needs
constexpr double kDeviceSeconds = 0.15;  // until its clocks have risen to work
constexpr double kMostSeconds = 2;
constexpr int kLeastRounds = 2, kLeastSamples = 5;
// Of frames so long that fewer have lasted a while.
constexpr double kLongSeconds = 0.5;
constexpr int kLongSamples = 2;
constexpr int kLetterSamples = 2;  // of a further letter, which may be no help at all
// Frames whose stages are timed one by one take several times longer: so many are enough, beside
// busy cores one a thread, or what there is of them after a while.
constexpr int kManyParts = 50;
constexpr int kMostVain = 16;          // frames that one side left to the other, nearly all, ...
constexpr double kVainSeconds = 0.15;  // ... while a core could have finished some
// Parts of an experiment, and how much longer frames take in most of them than in a typical round
// when something takes the cores away again and again.
constexpr std::size_t kParts = 5;
constexpr double kRecurring = 0.05;
// How many times longer than another first frame one takes that finds its memory untouched.
constexpr uint64_t kSlowStart = 2;
constexpr double kLess = 0.9;  // the share of what the source brought before that counts as less

// Latencies of the slowest path, of long ones, and frames, that a trial lasts.
constexpr double kLeastLatencies = 2, kLongLatencies = 1;
constexpr double kMostMaking_s = 1;  // that is waited for
constexpr int kLeastFrames = 3;
// At least so long; then so many frames are enough, and so many seconds.
struct Enough {
  double least_seconds;
  int frames;
  double seconds;
};
constexpr double kSlowSeconds = 0.05;
constexpr Enough kGlance{0.1, 50, 0.5}, kLook{0.25, 60, 0.5}, kRest{0.07, 3, 0.07};

// Whose begins belong to one round.
int frames_at_a_time(const Configuration& configuration, int devices) {
  if (configuration.granularity == Granularity::medium) return configuration.frames_at_once;
  const bool on_device = configuration.mapping.any_device();
  return configuration.threads + (on_device ? devices * configuration.lanes - 1 : 0);
}

// Under medium grain with one lane few frames are under way, so the pipeline is full after
// kCheap_s.
bool has_filled(const Configuration& configuration, int frames, double lasted_s) {
  const bool few = configuration.granularity == Granularity::medium && configuration.lanes == 1;
  return frames > configuration.threads || (few && lasted_s > kCheap_s);
}

// Of how many frames at a time the rate is: the threads that serve the device compute none.
int frames_side_by_side(const Configuration& configuration, int devices) {
  return configuration.mapping.any_device() ? devices * configuration.lanes : configuration.threads;
}

// Of each domain whose counter had so many new values: fewer are as much of what ran before.
constexpr double kCounterSteps = 2, kNearly = 0.9;

Energy watts_between(const EnergyReading& begin, const EnergyReading& end, double resolution_s) {
  const EnergyDomains power = power_between_w(begin, end);
  const auto watts = [&](const std::optional<double>& domain, MeterClock::duration lasted) {
    const double lasted_s = std::chrono::duration<double>(lasted).count();
    const bool enough = lasted_s >= kNearly * kCounterSteps * resolution_s;
    return enough ? domain.value_or(kUnknown) : kUnknown;
  };
  return {watts(power.c, end.at.c - begin.at.c), watts(power.g, end.at.g - begin.at.g),
          watts(power.u, end.at.u - begin.at.u)};
}

}  // namespace

Experiment::Experiment(const Plan& plan, const Chain& chain, double counter_s, ReadProbe read_probe)
    : plan_(plan),
      chain_(chain),
      devices_(devices_of(chain, plan.configuration.mapping)),
      counter_s_(plan.meters ? counter_s : 0),
      read_probe_(std::move(read_probe)) {}

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
  if (begin_.energy && !counts_joules_)
    counts_joules_ = count_from_new_value(begin_, read_probe_());
}

bool Experiment::take_sample(const FrameTimes& times, uint32_t device_stages) {
  const Configuration& configuration = plan_.configuration;
  int threads = frames_at_a_time(configuration, devices_);
  const bool in_parts = plan_.kind == Kind::stages;
  // One thread takes no energy from the stages one by one.
  const bool alone = in_parts && cores_beside(configuration, devices_) == 0;
  if (!warm_) {
    // Of frames so long the last ones of the first round had busy cores beside them all the time.
    const bool long_beside_cores =
        in_parts && !alone && seconds(times.service_ns()) > kCheap_s && 4 * seen_ >= 3 * threads;
    if (!configuration.mapping.any_device()) wait_for_slow_start(times);
    warm_ = long_beside_cores || (seen_ >= threads && times.begin_ns >= others_end_ns_);
    if (warm_) begin_ = read_probe_();
    start_ns_ = last_ns_;
    return false;
  }
  count(times, device_stages);
  latency_.add(times.latency_ns());
  const bool beside = plan_.kind == Kind::beside;
  if (beside) threads = cores_beside(configuration, devices_);
  // A frame that the device left to the CPU says nothing of the device, and the other way round.
  // Of split stages the device has computed a part where it took time for them.
  const uint32_t split = configuration.mapping.split_stages();
  const bool both = split == 0 || times.split_device_ns > 0;
  if (both && (device_stages & ~split) == (beside ? 0 : configuration.mapping.device_stages()))
    samples_.push_back(times);

  const bool on_cores = !configuration.mapping.any_device();
  const bool slow = (beside || on_cores) && is_behind() &&
                    std::ssize(samples_) >= (beside ? 1 : std::max(kLeastSamples, threads));
  double least_seconds = alone ? kLeastSeconds : std::max(kLeastSeconds, counter_s_);
  const double lasted = times.end_ns > begin_.now_ns ? seconds(times.end_ns - begin_.now_ns) : 0.0;
  // The device's clocks rise while whole frames are measured, which follow.
  const bool many_parts = in_parts && std::ssize(samples_) >= (alone ? kManyParts : threads);
  if (configuration.mapping.any_device() && !beside && !many_parts)
    least_seconds = std::max(least_seconds, kDeviceSeconds);
  const bool is_long = seconds(times.end_ns - start_ns_) >= kLongSeconds;
  const int least_samples = configuration.mapping.any_further_letter() ? kLetterSamples
                            : is_long                                  ? kLongSamples
                                                                       : kLeastSamples;
  int in_rounds = is_long ? threads + 1 : kLeastRounds * threads;
  if (in_parts && !alone) in_rounds = is_long ? 0 : threads;
  const bool enough =
      std::ssize(samples_) >= std::max(least_samples, in_rounds) && lasted >= least_seconds;
  const bool too_long = lasted >= least_seconds + kMostSeconds;
  // Frames are taken in order: those behind one that a core computes would wait for it. What few
  // frames come to the cores beside a device that takes so many tells enough of them.
  const bool device_took_them = beside && lasted >= kVainSeconds &&
                                counted_ >= kMostVain * frames_at_a_time(configuration, devices_);
  if (!enough && !device_took_them && !slow &&
      !(too_long && (!samples_.empty() || counted_ >= kMostVain)))
    return false;
  end_ = read_probe_();
  return true;
}

// The first frame of a thread whose memory is touched for the first time may take several times as
// long as the others: they begin and wait for it meanwhile, as frames of others.
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
    const bool makes_memory = is_long_trial() && memory_.is_made(read_probe_()) &&
                              lasted_s < plan_.fill_s + kMostMaking_s;
    if (!has_filled(plan_.configuration, seen_, lasted_s) || lasted_s < plan_.fill_s ||
        times.begin_ns < others_end_ns_ || makes_memory)
      return is_slow();
    start_ns_ = last_ns_;
    begin_ = read_probe_();
    latency_.clear();
    return false;
  }
  if (is_slow()) return true;
  count(times, device_stages);
  if (is_long_trial()) under_way_s_.push_back(seconds(times.end_ns - times.begin_ns));
  const Enough& enough = plan_.kind == Kind::look ? kLook : plan_.rest ? kRest : kGlance;
  const double latencies = is_long_trial() ? kLongLatencies : kLeastLatencies;
  const double least_seconds =
      std::max({enough.least_seconds, latencies * plan_.fill_s, counter_s_});
  const double lasted_s = seconds(last_ns_ - start_ns_);
  if (counted_ < kLeastFrames || lasted_s < least_seconds) return false;
  // A look after a trial of long frames would wait for all that are under way once more.
  if (is_long_trial() ? counted_s() < enough.seconds
                      : counted_ < enough.frames && lasted_s < enough.seconds)
    return false;
  end_ = read_probe_();
  return true;
}

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
// as they are counted more of them may begin than leave, and how long they are under way grows by
// twice what it does between the halves. A frame that is under way counts as half done, so the
// frames took longer than from begin to begin by half of that growth.
double Experiment::counted_s() const {
  const double began_s = seconds(last_ns_ - start_ns_);
  return is_long_trial() ? std::max(began_s / 2, began_s + grew_s()) : began_s;
}

// Of all frames that began when those before it were out.
bool Experiment::is_behind() {
  if (last_ns_ < others_end_ns_) return false;
  if (alone_++ == 0) alone_ns_ = last_ns_;
  const double lasted_s = seconds(last_ns_ - alone_ns_);
  return lasted_s >= kSlowSeconds && alone_ <= lasted_s * plan_.slow_fps;
}

// What these frames did is what is told of it then.
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

// --- What was found out ------------------------------------------------------------------------

Observation Experiment::observation() {
  Observation made;
  made.configuration = plan_.configuration;
  made.kind = plan_.kind;
  made.latency_s = latency_.percentile_s(95);
  made.lasted_s = seconds(last_ns_ - first_ns_);
  made.frames = counted_;
  // A source that gets no core is no slow source: this process has taken them all, or so many that
  // the source brings less than it did. Nor is one that gets no memory while long frames make it.
  const bool no_memory = made.latency_s > kCheap_s && end_.buffers_made != begin_.buffers_made;
  if (kept_all_busy(begin_, end_) || no_memory ||
      counted_ < kLess * plan_.source_fps * counted_s()) {
    starved_ = 0;
    for (FrameTimes& times : samples_) times.starved = false;
  }
  made.starved_frames = starved_;
  made.spaced = plan_.spaced;
  made.cpu_s = (end_.cpu_s - begin_.cpu_s - (end_.others_cpu_s - begin_.others_cpu_s)) / counted_;
  if (counts_joules_ && end_.energy)
    made.watts = watts_between(*begin_.energy, *end_.energy, chain_.energy_resolution_s);
  if (counted_s() > 0) {
    Busy a_second;
    a_second.add(busy_, 1 / counted_s());
    made.busy = at_most_all(a_second, 1, chain_);
  }
  if (is_trial(plan_.kind)) {
    made.frame_s = seconds_a_frame();
    return made;
  }
  made.in_vain = samples_.empty();
  if (!made.in_vain) measure(made);
  made.relative_error = relative_error_;
  return made;
}

// What the model needs of each: an estimate that nobody needs has an error that does not matter.
void Experiment::measure(Observation& made) {
  const Configuration& configuration = plan_.configuration;
  const bool medium = configuration.granularity == Granularity::medium;
  const bool on_device = configuration.mapping.any_device();
  const bool one_by_one = plan_.kind == Kind::stages;
  const bool beside = plan_.kind == Kind::beside;
  const bool one_thread = beside || (!medium && !on_device && configuration.threads == 1);
  const bool split = configuration.mapping.any_split();
  if (split) {
    made.split_cores_s = mean_of([](const FrameTimes& t) { return t.split_cores_ns; });
    made.split_device_s = mean_of([](const FrameTimes& t) { return t.split_device_ns; });
  }
  if (split || beside) {
    made.frame_s = seconds_a_frame();
    if (beside) made.device_frame_s = made.frame_s * counted_ / (counted_ - std::ssize(samples_));
  } else if (one_by_one) {
    const bool alone = cores_beside(configuration, devices_) == 0;
    made.frame_s = alone ? seconds_a_frame() : seconds_a_frame(configuration.threads);
  } else if (!medium) {
    made.frame_s = seconds_a_frame(frames_side_by_side(configuration, devices_));
  }
  if (medium || one_by_one || one_thread) {
    made.stages.resize(chain_.stages);
    for (int k = 0; k < chain_.stages; ++k) {
      Observation::StageTimes& stage = made.stages[k];
      stage.seconds = mean_of([k](const FrameTimes& t) { return t.stage_ns[k]; });
      if (!one_by_one || !configuration.mapping.on_device(k)) continue;
      stage.download_s = mean_of([k](const FrameTimes& t) { return t.download_ns[k]; });
      // What a run that begins with the next stage has to upload.
      if (k + 1 < chain_.stages)
        stage.upload_s = mean_of([k](const FrameTimes& t) { return t.upload_ns[k]; });
    }
  }
  if (one_thread || split)
    made.service_s = mean_of([](const FrameTimes& t) { return t.service_ns(); });
  if (on_device && configuration.lanes == 1 && !beside) {
    made.cores_s = mean_of([&](const FrameTimes& t) {
      uint64_t sum_ns = 0;
      for (int k = 0; k < chain_.stages; ++k)
        if (configuration.mapping.side(k) == Side::c) sum_ns += t.stage_ns[k];
      return sum_ns;
    });
  }
}

// The robust mean of samples; remembers the worst error.
double Experiment::estimate_of(std::vector<double> samples) {
  const Estimate found = estimate(std::move(samples));
  const double error = found.relative_error();
  if (known(error)) relative_error_ = std::max(relative_error_, error);
  return found.value;
}

// Seconds, of a function of a frame's times in nanoseconds.
template <class Value>
double Experiment::mean_of(Value&& value) {
  std::vector<double> values;
  for (const FrameTimes& times : samples_) values.push_back(seconds(value(times)));
  return estimate_of(std::move(values));
}

// From one frame to the next. Between spaced ones the next one waits: they take what a source takes
// that sends them one by one.
double Experiment::seconds_a_frame() const {
  const double spaced_s = plan_.spaced ? latencies_s_ : 0;
  return (spaced_s > 0 ? spaced_s : counted_s()) / counted_;
}

// Seconds per frame with n threads, from begin times: service times alone would miss what decoding
// and drawing take from the cores. If the source starves the threads, service time / n instead (n
// at most nC). Of spaced frames the one that there is.
double Experiment::seconds_a_frame(int n) {
  if (plan_.spaced) return mean_of([](const FrameTimes& t) { return t.latency_ns(); });
  const std::size_t threads = static_cast<std::size_t>(n);
  const auto starved = std::count_if(samples_.begin(), samples_.end(),
                                     [](const FrameTimes& times) { return times.starved; });
  std::vector<double> values;
  if (2 * starved > std::ssize(samples_) || samples_.size() <= threads) {
    for (const FrameTimes& times : samples_)
      values.push_back(seconds(times.service_ns()) / std::min(n, chain_.cores));
    return estimate_of(std::move(values));
  }
  const auto over = [this](std::size_t i, std::size_t frames) {
    return seconds(samples_[i].begin_ns - samples_[i - frames].begin_ns) /
           static_cast<double>(frames);
  };
  for (std::size_t i = threads; i < samples_.size(); ++i) values.push_back(over(i, threads));
  const double typical = estimate_of(std::move(values));
  // A thread that loses its core loses it for longer than many rounds of short frames take, so few
  // rounds show it. What happens in most parts of the experiment belongs to the rate; what happens
  // once does not.
  const std::size_t part = samples_.size() / kParts;
  if (part < 2 * threads) return typical;
  std::array<double, kParts> parts;
  const std::size_t rounds = (part - 1) / threads * threads;  // whole ones: they come in bursts
  for (std::size_t i = 0; i < kParts; ++i) parts[i] = over(i * part + rounds, rounds);
  std::ranges::nth_element(parts, parts.begin() + kParts / 2);
  const double lasting = parts[kParts / 2];
  return lasting > (1 + kRecurring) * typical ? lasting : typical;
}

}  // namespace tandem
