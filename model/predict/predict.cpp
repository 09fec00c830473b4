// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/predict/predict.h"

#include <algorithm>

#include "model/predict/device_classes.h"

namespace tandem {
namespace {

// std::max, but unknown if either is: when a is unknown b comes out, and a - a is unknown as well.
// Branches would be mispredicted often.
double larger(double a, double b) { return (a > b ? a : b) + (a - a); }

// The larger or smaller value; unknown ones do not count.
double most(double a, double b) { return a > b || !known(b) ? a : b; }
double least(double a, double b) { return a < b || !known(b) ? a : b; }

void add(Cost& sum, const Cost& cost) {
  sum.seconds += cost.seconds;
  sum.joules.c += cost.joules.c;
  sum.joules.g += cost.joules.g;
  sum.joules.u += cost.joules.u;
}

Energy operator*(double factor, const Energy& energy) {
  return {factor * energy.c, factor * energy.g, factor * energy.u};
}

Energy operator*(const Energy& a, const Energy& b) { return {a.c * b.c, a.g * b.g, a.u * b.u}; }
Energy operator-(const Energy& a, const Energy& b) { return {a.c - b.c, a.g - b.g, a.u - b.u}; }

double sum(const Energy& energy) { return energy.c + energy.g + energy.u; }

double power(double base, int exponent) {
  double result = base;
  while (--exponent > 0) result *= base;
  return result;
}

// A domain that no meter covers adds nothing, but if there is no meter all is unknown.
Energy counted(const Domains& domains, const Energy& joules) {
  const auto absent = [](Domain domain) { return domain == Domain::absent; };
  if (absent(domains.c) && absent(domains.g) && absent(domains.u)) return {0, 0, kUnknown};
  return {absent(domains.c) ? 0 : joules.c, absent(domains.g) ? 0 : joules.g,
          absent(domains.u) ? 0 : joules.u};
}

double one_if_additive(Domain domain) { return domain == Domain::additive ? 1 : 0; }

}  // namespace

Model::Cpu Model::cpu(const Cost& cost, int frames_at_once, double busy_cores) {
  const double fps = 1 / cost.seconds;
  const Energy watts = fps * cost.joules;
  const double latency_s = frames_at_once * cost.seconds;
  return {fps, latency_s, latency_s, busy_cores, 1, watts, sum(watts)};
}

Model::Model(const Measurements& measurements, int lanes) : m_(measurements) {
  for (int s = 1; s <= kMaxLanes; ++s) {
    factors_[s - 1] = lane_factor(s);
    if (s > 1 && known(m_.lane_factors[s - 1].seconds)) most_lanes_ = kMaxLanes;
  }
  if (lanes > 0) least_lanes_ = most_lanes_ = lanes;
  const Domains& domains = m_.domains;
  additive_ = {one_if_additive(domains.c), one_if_additive(domains.g), one_if_additive(domains.u)};
  if (m_.tdp_w > 0) most_w_ = m_.tdp_w;
  if (m_.window > 0) most_in_flight_ = m_.window + 1;
  Cost mg = kNoCost;
  for (StageMeasurements& stage : m_.stages) {
    for (Cost* cost : {&stage.mg, &stage.device, &stage.upload, &stage.download})
      cost->joules = counted(domains, cost->joules);
    add(mg, stage.mg);
    cg_s_ += stage.cg.seconds;
    gain_.push_back(stage.mg.seconds / stage.device.seconds);
    any_serial_ = any_serial_ || stage.serial;
    cpu_path_ = cpu_path_ && stage.has_cpu;
    if (stage.can_split && stage.has_cpu && stage.has_device)
      split_stages_ |= 1u << (gain_.size() - 1);
  }
  mg_s_ = mg.seconds;
  mg_ = cpu(mg, 1, m_.cores);
  m_.cg.resize(m_.cores + 1);  // unknown where nothing was measured
  cg_.resize(m_.cores + 2);
  for (int n = 1; n <= m_.cores + 1; ++n) {
    Cost& cost = m_.cg[n - 1];
    cost.joules = counted(domains, cost.joules);
    cg_[n] = cpu(cost, n, std::min(n, m_.cores));
    cg_[n].crowding = cg_[1].fps / cg_[n].fps;
  }
  keeps_its_time_ = m_.crowding.empty() && !(m_.device_cores > 0);
  spread_latencies();
  spread_frames();
  extremes_ = mg_;
  for (int n = 1; n <= m_.cores + 1; ++n) {
    extremes_.fps = most(extremes_.fps, cg_[n].fps);
    extremes_.latency_s = most(extremes_.latency_s, cg_[n].latency_s);
    extremes_.crowding = least(extremes_.crowding, cg_[n].crowding);
    extremes_.total_w = least(extremes_.total_w, cg_[n].total_w);
  }
}

// Between two numbers of lanes that were measured the rate grows evenly; above the most it stays.
LaneFactor Model::lane_factor(int lanes) const {
  const auto& factors = m_.lane_factors;
  int below = std::clamp(lanes, 1, kMaxLanes), above = below;
  while (!known(factors[below - 1].seconds)) --below;  // one lane is known
  while (above < kMaxLanes && !known(factors[above - 1].seconds)) ++above;
  const LaneFactor &low = factors[below - 1], &high = factors[above - 1];
  if (below == above || !known(high.seconds)) return low;
  const double part = static_cast<double>(lanes - below) / (above - below);
  return {1 / (1 / low.seconds + part * (1 / high.seconds - 1 / low.seconds)),
          low.joules + part * (high.joules - low.joules)};
}

// D -> D_S. Uploads, kernels and downloads of S frames overlap. The longest of the three limits the
// rate, and a frame waits for the part of the other two that S frames cannot hide. The overlap of
// kernels was measured, X(S).
void Model::use_lanes(int lanes, const LaneFactor& factor, MappingCosts& costs) {
  costs.lanes = lanes;
  if (lanes == 1) return;
  const double one_s = costs.device.seconds;
  const double kernels_s = factor.seconds * (one_s - costs.upload_s - costs.download_s);
  const double longest_s = larger(kernels_s, larger(costs.upload_s, costs.download_s));
  const double others_s = kernels_s + costs.upload_s + costs.download_s - longest_s;
  costs.device.seconds = longest_s + others_s / lanes;
  // Its power is that of the device alone with so many lanes.
  const double joules = factor.joules / factor.seconds * costs.device.seconds / one_s;
  costs.device.joules = joules * costs.device.joules;
  costs.most_gain *= one_s / costs.device.seconds;
}

void Model::begin_run(int k, MappingCosts& costs) const {
  add(costs.device, m_.stages[k].upload);
  costs.upload_s += m_.stages[k].upload.seconds;
  ++costs.runs;
}

// The run that stage k + 1 begins is known to begin there only now, when stage k is not in it.
void Model::add_stage(int k, Mapping mapping, MappingCosts& costs) const {
  const StageMeasurements& stage = m_.stages[k];
  const bool next_on_device = k + 1 < stages() && mapping.on_device(k + 1);
  if (mapping.on_device(k)) {
    add(costs.device, stage.device);
    costs.most_gain = larger(costs.most_gain, gain_[k]);
    if (!next_on_device) {
      add(costs.device, stage.download);
      costs.download_s += stage.download.seconds;
    }
    if (k == 0) begin_run(0, costs);
  } else {
    costs.cg_s += stage.cg.seconds;
    costs.saved -= stage.cg.seconds / cg_s_;
    costs.mg_s += stage.mg.seconds;
    if (next_on_device) begin_run(k + 1, costs);
  }
}

Model::DevicePower Model::power_of(const Cost& device) const {
  const Energy watts = 1 / device.seconds * device.joules;
  const Energy with_cpu_w = additive_ * watts;
  return {watts - with_cpu_w, with_cpu_w};
}

// Constant above the largest measured number of cores.
double Model::crowding(int on_cores) const {
  if (m_.crowding.empty()) return 1;
  return m_.crowding[std::min<std::size_t>(on_cores, m_.crowding.size() - 1)];
}

// Inlined by force, as each of 384 predictions has 20 ns: together they take 4/5 of the time.
#define TANDEM_INLINE [[gnu::always_inline]] inline

TANDEM_INLINE Prediction Model::finish(double throughput_fps, double device_fps, double watts,
                                       double latency_s) const {
  if (!(throughput_fps > 0 && throughput_fps < kInfinity)) return {};
  if (watts > most_w_) watts = most_w_;  // equation 8; unknown stays unknown
  const double frame_s = 1 / throughput_fps;
  return {throughput_fps, watts * frame_s, std::min(1.0, device_fps * frame_s), watts, latency_s};
}

// A device that takes part of the cores (docs/model.md): while it works, all slow down alike.
TANDEM_INLINE double Model::slowdown(const Cpu& besides) const {
  if (!(m_.device_cores > 0)) return 1;
  return larger(1, (besides.busy_cores + m_.device_cores) / m_.cores);
}

// The energy balance condition of equations 9 and 10; each side works for a share of the time.
TANDEM_INLINE double Model::together_w(const Cpu& cpu, double cpu_share, const DevicePower& device,
                                       double device_share) const {
  const auto balance = [&](double Energy::*domain) {
    return larger(device_share * device.own_w.*domain,
                  cpu_share * cpu.watts.*domain + device_share * device.with_cpu_w.*domain);
  };
  return balance(&Energy::c) + balance(&Energy::g) + balance(&Energy::u);
}

// All `threads` compute on the cores while the device is idle, one fewer while it works. Their rate
// of whole frames is known from the experiments; the frame of the device needs its 'c' stages
// alone. The device is idle until its last user has computed its 'c' stages and is back, or another
// thread begins a run before that. Threads are anywhere in their frames. So the shortest of their
// times is the integral of (1 - t / interval) to the power of the others, from 0 to the time of the
// 'c' stages.
TANDEM_INLINE Model::Cycle Model::coarse(const MappingCosts& costs, int threads) const {
  const Cpu& all = cg_[threads];
  const int on_cores = threads - servers(threads);
  const Cpu& others = cg_[on_cores];
  const double device_s = costs.device.seconds * crowding(on_cores);
  // DP, Table III: whoever leaves the device takes it again.
  Cycle cycle{others, costs.cg_s > 0 ? all : others, device_s};
  cycle.frames = costs.saved + device_s * others.fps;
  cycle.cpu_latency_s = others.latency_s;
  if (costs.cg_s > 0) {
    // Frames that take the CPU path for one that does not, were the device never idle.
    const double cpu_frames = larger(0, device_s * others.fps + costs.saved - 1);
    const double interval_s =
        costs.cg_s + (cg_s_ - costs.cg_s) * cpu_frames / (1 + cpu_frames);  // between two runs
    const double missed = power(1 - costs.cg_s / interval_s, threads);
    cycle.idle_s = interval_s * (1 - missed) * all.crowding;
    const double alone_s = cycle.idle_s;
    if (costs.lanes > 1) cycle.idle_s = idle_with_lanes_s(costs, others, all, cycle.idle_s);
    cycle.frames += cycle.idle_s * all.fps;
    if (costs.lanes > 1) cycle.waits_s = waits_behind_lanes_s(costs, cycle, threads, alone_s);
    cycle.cpu_latency_s = all.latency_s;
  }
  cycle.device_latency_s = on_device(costs) * device_s + costs.cg_s;
  return cycle;
}

// While S - 1 more frames are on the device it does not wait for the next, unless the cores cannot
// keep up with the 'c' stages of its frames.
double Model::idle_with_lanes_s(const MappingCosts& costs, const Cpu& others, const Cpu& all,
                                double idle_s) const {
  const double device_s = costs.device.seconds;
  const double behind_s = (1 - costs.saved - device_s * others.fps) / all.fps;
  return larger(0, larger(behind_s, idle_s - (costs.lanes - 1) * device_s));
}

// Equations 3-10 for a cycle, which the executor repeats. Equations 7, 9 and 10 are multiplied by
// lambda_e. As p_j lambda_e = lambda_j (equation 5), energies become powers.
TANDEM_INLINE Prediction Model::combine(Cycle&& cycle, const DevicePower& power,
                                        Mapping mapping) const {
  cycle.device_s *= slowdown(cycle.besides);
  const double device_fps = 1 / (cycle.device_s + cycle.idle_s);
  const double throughput_fps = cycle.frames * device_fps;  // equation 3
  const double latency_s = larger(cycle.device_latency_s, cycle.cpu_latency_s);
  if (throughput_fps * latency_s > most_in_flight_ && cycle.frames > 1 + kFewFrames) {
    const double serial = any_serial_ ? serial_utilisation(cycle, mapping) : 1;
    return keep_window(cycle, power, throughput_fps / serial);
  }
  const double watts = device_fps * (cycle.device_s * together_w(cycle.besides, 1, power, 1) +
                                     cycle.idle_s * cycle.alone.total_w);
  if (!any_serial_) return finish(throughput_fps, device_fps, watts, Model::latency_s(cycle));
  const double utilisation = serial_utilisation(cycle, mapping);
  return finish(throughput_fps / utilisation, device_fps / utilisation, watts / utilisation,
                utilisation * Model::latency_s(cycle));
}

// While one frame is on the slower path, at most `window` frames begin, itself included: then the
// faster path waits. When that frame is delivered the waiting path takes the first frame and the
// slower path the second. So window + 1 frames pass in one latency of the slower path. While no
// frame is on it the others pass as if there were no window. Serial stages let `most_fps` through.
Prediction Model::keep_window(const Cycle& cycle, const DevicePower& power, double most_fps) const {
  const double device_fps = 1 / (cycle.device_s + cycle.idle_s);
  const double cpu_fps = (cycle.frames - 1) * device_fps;
  const bool cpu_slower = cycle.cpu_latency_s > cycle.device_latency_s;
  const double slow_s = std::max(cycle.device_latency_s, cycle.cpu_latency_s);
  const double free_slow_fps = cpu_slower ? cpu_fps : device_fps;
  const double without_s = std::max(0.0, 1 / free_slow_fps - slow_s);  // between two such frames
  const double bound_fps = std::min(
      most_fps, (most_in_flight_ + without_s * cycle.frames * device_fps) / (slow_s + without_s));
  const double slow_fps = std::min(free_slow_fps, bound_fps);
  const double fast_fps = bound_fps - slow_fps;
  const double device_now_fps = cpu_slower ? fast_fps : slow_fps;
  const double cpu_now_fps = cpu_slower ? slow_fps : fast_fps;
  const double watts =
      together_w(cycle.besides, cpu_now_fps / cpu_fps, power, device_now_fps * cycle.device_s);
  return finish(bound_fps, device_now_fps, watts, latency_s(cycle));
}

// A serial stage serves one frame at a time, whichever path it is on: equation 6 for that stage.
double Model::serial_utilisation(const Cycle& cycle, Mapping mapping) const {
  double utilisation = 1;
  const double medium = cycle.medium_factor;
  for (int k = 0; k < stages(); ++k) {
    const StageMeasurements& stage = m_.stages[k];
    if (!stage.serial) continue;
    const double cpu_s = medium > 0 ? medium * stage.mg.seconds : stage.cg.seconds;
    const double device_s = mapping.on_device(k) ? stage.device.seconds : cpu_s;
    const double busy_s = device_s + (cycle.frames - 1) * cpu_s;
    utilisation = larger(utilisation, busy_s / (cycle.device_s + cycle.idle_s));
  }
  return utilisation;
}

Prediction Model::predict(const Configuration& configuration) const {
  const Mapping& mapping = configuration.mapping;
  if (mapping.stages != stages()) return {};
  if (mapping.any_split()) return on_both_sides(configuration);
  if (mapping.any_further_letter()) return predict_device_classes(m_, configuration);
  MappingCosts costs;
  for (int k = stages() - 1; k >= 0; --k) {
    const StageMeasurements& stage = m_.stages[k];
    if (mapping.on_device(k) ? !stage.has_device : !stage.has_cpu) return {};
    add_stage(k, mapping, costs);
  }
  if (configuration.granularity == Granularity::coarse &&
      (configuration.threads < 1 || configuration.threads > m_.cores + 1))
    return {};
  if (mapping.any_device())
    use_lanes(configuration.lanes, factors_[configuration.lanes - 1], costs);
  return predict(configuration, costs, power_of(costs.device));
}

Prediction Model::predict(const Configuration& configuration, const MappingCosts& costs,
                          const DevicePower& power) const {
  const Mapping mapping = configuration.mapping;
  const bool coarse_grain = configuration.granularity == Granularity::coarse;
  if (!mapping.any_device()) {  // measured as it is: nothing is left to the model
    const Cpu& cpu =
        coarse_grain ? cg_[configuration.threads] : mg_at_once_[configuration.frames_at_once];
    double fps = cpu.fps;  // which may be interpolated: a serial stage lets no more through
    for (const StageMeasurements& stage : m_.stages)
      if (stage.serial) fps = std::min(fps, 1 / (coarse_grain ? stage.cg : stage.mg).seconds);
    return finish(fps, 0, cpu.total_w, cpu.p95_s);
  }
  if (!cpu_path_) return combine(without_cpu_path(configuration, costs), power, mapping);
  if (coarse_grain) return combine(coarse(costs, configuration.threads), power, mapping);
  MappingCosts crowded = costs;
  if (!m_.crowding.empty()) crowded.device.seconds *= crowding(m_.cores);
  const int frames = configuration.frames_at_once;
  return combine(frames > 1 ? several_at_once(crowded, frames) : medium(mapping, crowded), power,
                 mapping);
}

// Cheap, as most configurations are far from the best. The device is idle at least until its last
// user is back, and the CPU draws at least its watts alone.
Model::Limits Model::limits_of(const Configuration& configuration,
                               const MappingCosts& costs) const {
  const bool coarse_grain = configuration.granularity == Granularity::coarse;
  const Cpu& all = coarse_grain ? cg_[configuration.threads] : mg_;
  if (costs.runs == 0) return {all.fps, std::min(all.total_w, most_w_)};
  const double device_s = costs.device.seconds;
  if (!cpu_path_) return {1 / device_s, 0};
  double fps, watts, latency_s;
  if (coarse_grain) {
    const Cpu& others = cg_[configuration.threads - servers(configuration.threads)];
    const double idle_s = costs.lanes > 1 ? 0 : costs.cg_s * all.crowding;
    const double cycles_fps = 1 / (device_s + idle_s);
    fps = larger(all.fps, cycles_fps * (costs.saved + device_s * others.fps + idle_s * all.fps));
    // While no core works beside it the device draws its own power.
    const bool device_alone = configuration.threads <= m_.devices;
    const double beside_w = device_alone ? sum(costs.device.joules) / device_s : others.total_w;
    watts = std::min(all.total_w, beside_w);
    // The longer the device is idle, the more of the time all threads compute.
    if (beside_w < all.total_w && keeps_its_time_)
      watts = cycles_fps * (device_s * beside_w + idle_s * all.total_w);
    latency_s = larger(all.latency_s, on_device(costs) * device_s + costs.cg_s);
  } else {
    fps = most_medium_fps(costs);
    watts = all.total_w;
    latency_s = larger(all.latency_s, on_device(costs) * device_s + costs.mg_s);
  }
  // A bound of the rate lets some of the chip rest.
  if (any_serial_ || fps * latency_s > most_in_flight_) watts = 0;
  return {fps, std::min(watts, most_w_)};
}

// The cores compute at least the 'c' stages, and the device always works; of several runs it may
// take the one that it is best at again and again.
double Model::most_medium_fps(const MappingCosts& costs) const {
  const double fps = costs.runs > 1 && costs.lanes == 1
                         ? mg_.fps * (1 + costs.most_gain)
                         : mg_.fps + (1 - costs.mg_s * mg_.fps) / costs.device.seconds;
  return std::min(1 / costs.mg_s, fps);
}

// The same for all configurations of a mapping at once, except the one with a single thread.
Model::Limits Model::limits_of(const MappingCosts& costs) const {
  if (costs.runs == 0 || !cpu_path_) return {kInfinity, 0};
  const double device_s = costs.device.seconds;
  const double coarse_fps =
      extremes_.fps +
      costs.saved / (device_s + (costs.lanes > 1 ? 0 : costs.cg_s * extremes_.crowding));
  const double fps = most(coarse_fps, most_medium_fps(costs));
  const double latency_s =
      most(extremes_.latency_s, on_device(costs) * device_s + most(costs.cg_s, costs.mg_s));
  const bool some_rest = any_serial_ || fps * latency_s > most_in_flight_;
  return {fps, some_rest ? 0 : std::min(extremes_.total_w, most_w_)};
}

Prediction predict(const Measurements& measurements, const Configuration& configuration) {
  return Model(measurements).predict(configuration);
}

}  // namespace tandem
