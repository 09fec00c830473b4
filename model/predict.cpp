// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/predict.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tandem {
namespace {

// std::max, but unknown if either is: when a is unknown b comes out, and a - a is unknown as well.
// Branches would be mispredicted often.
double larger(double a, double b) { return (a > b ? a : b) + (a - a); }

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
Energy operator+(const Energy& a, const Energy& b) { return {a.c + b.c, a.g + b.g, a.u + b.u}; }
Energy operator-(const Energy& a, const Energy& b) { return {a.c - b.c, a.g - b.g, a.u - b.u}; }

// What counts: a domain that no meter covers adds nothing, but if there is no meter all is unknown.
Energy counted(const Domains& domains, const Energy& joules) {
  const auto absent = [](Domain domain) { return domain == Domain::absent; };
  if (absent(domains.c) && absent(domains.g) && absent(domains.u)) return {0, 0, kUnknown};
  return {absent(domains.c) ? 0 : joules.c, absent(domains.g) ? 0 : joules.g,
          absent(domains.u) ? 0 : joules.u};
}

// A domain that takes nothing takes nothing.
Energy ratio(const Energy& a, const Energy& b) {
  const auto divide = [](double x, double y) { return x == 0 ? 0 : x / y; };
  return {divide(a.c, b.c), divide(a.g, b.g), divide(a.u, b.u)};
}

typedef double Lanes __attribute__((vector_size(16)));

Lanes load(const std::vector<double>& values, int first) {
  Lanes lanes;
  std::memcpy(&lanes, &values[first], sizeof lanes);
  return lanes;
}

Lanes larger(const Lanes& a, const Lanes& b) { return (a > b ? a : b) + (a - a); }
Lanes smaller(const Lanes& a, const Lanes& b) { return a < b ? a : b; }

// base^first and base^(first + 1)
Lanes power(Lanes base, int first) {
  Lanes result{1, base[1]};
  for (int exponent = first; exponent > 0; exponent >>= 1, base *= base)
    if ((exponent & 1) != 0) result *= base;
  return result;
}

double one_if_additive(Domain domain) { return domain == Domain::additive ? 1 : 0; }

}  // namespace

void Model::Path::scale(double factor) {
  fps *= factor;
  device_w = factor * device_w;
  cpu_w = factor * cpu_w;
}

Model::Path Model::cpu_path(const Cost& cost, int frames_at_once, double busy_cores) {
  const double fps = 1 / cost.seconds;
  return {fps, frames_at_once * cost.seconds, 0, busy_cores, {0, 0, 0}, fps * cost.joules};
}

Model::Model(const Measurements& measurements) : m_(measurements) {
  const Domains& domains = m_.domains;
  additive_ = {one_if_additive(domains.c), one_if_additive(domains.g), one_if_additive(domains.u)};
  if (m_.tdp_w > 0) most_w_ = m_.tdp_w;
  if (m_.window > 0) most_in_flight_ = m_.window + 1;
  always_bound_ = m_.device_cores > 0;
  Cost mg = kNoCost;
  for (StageMeasurements& stage : m_.stages) {
    for (Cost* cost : {&stage.cg, &stage.mg, &stage.device, &stage.upload, &stage.download})
      cost->joules = counted(domains, cost->joules);
    add(mg, stage.mg);
    always_bound_ = always_bound_ || stage.serial;
  }
  for (Cost& cost : m_.cg) cost.joules = counted(domains, cost.joules);
  mg_ = cpu_path(mg, 1, m_.cores);

  m_.cg.resize(m_.cores + 1);  // unknown where nothing was measured
  cg_.resize(m_.cores + 2);
  cpub_.resize(m_.cores + 1);
  for (int n = 1; n <= m_.cores + 1; ++n) cg_[n] = cpu_path(m_.cg[n - 1], n, std::min(n, m_.cores));
  fill_threads();
  for (int n = 1; n <= m_.cores; ++n) {
    // Table IV: mu_CPUB(n), and E^CG(n) as the energy of a frame. Threads that do not scale at all
    // would leave less than nothing for this path.
    const double fps = larger(0, cg_[n + 1].fps - cg_[1].fps);
    const double busy_cores = n;
    cpub_[n] = {fps, cg_[n + 1].latency_s, 0, busy_cores, {0, 0, 0}, fps * m_.cg[n - 1].joules};
  }
}

void Model::fill_threads() {
  cpu_ = kNoCost;
  for (const StageMeasurements& stage : m_.stages) add(cpu_, stage.cg);
  per_cpu_ = 1 / cpu_.seconds;
  Threads& t = threads_;
  for (std::vector<double>* values : {&t.count, &t.per_count, &t.slowdown, &t.speed, &t.less_slow,
                                      &t.more_speed, &t.ratio_c, &t.ratio_g, &t.ratio_u})
    values->assign(m_.cores + 2 + kLanes, 1);
  for (int n = 1; n <= m_.cores + 1; ++n) {
    t.count[n] = n;
    t.per_count[n] = 1.0 / n;
    t.slowdown[n] = n * m_.cg[n - 1].seconds / m_.cg[0].seconds;
    t.speed[n] = 1 / t.slowdown[n];
    t.less_slow[n] = t.slowdown[n] - t.slowdown[n - 1];
    t.more_speed[n] = t.speed[n - 1] - t.speed[n];
    const Energy ratios = ratio(m_.cg[n - 1].joules, m_.cg[0].joules);
    t.ratio_c[n] = ratios.c;
    t.ratio_g[n] = ratios.g;
    t.ratio_u[n] = ratios.u;
  }
}

// The run that stage k + 1 begins is known to begin there only now, when stage k is not in it.
void Model::add_stage(int k, Mapping mapping, MappingCosts& costs) const {
  const StageMeasurements& stage = m_.stages[k];
  const bool next_on_device = k + 1 < stages() && mapping.on_device(k + 1);
  if (mapping.on_device(k)) {
    add(costs.device, stage.device);
    if (!next_on_device) add(costs.device, stage.download);
    if (k == 0) add(costs.device, stage.upload);
  } else {
    add(costs.cg, stage.cg);
    add(costs.mg, stage.mg);
    if (next_on_device) add(costs.device, m_.stages[k + 1].upload);
  }
}

Prediction Model::predict(const Configuration& configuration) const {
  const Mapping& mapping = configuration.mapping;
  if (mapping.stages != stages()) return {};
  MappingCosts costs;
  for (int k = stages() - 1; k >= 0; --k) {
    if (mapping.on_device(k) && !m_.stages[k].has_device) return {};
    add_stage(k, mapping, costs);
  }
  PerThreads predictions = make_room();
  predict(mapping, costs, predictions);
  if (configuration.granularity == Granularity::medium) return predictions.back();
  const int threads = configuration.threads;
  return threads >= 1 && threads <= m_.cores + 1 ? predictions[threads - 1] : Prediction{};
}

void Model::predict(Mapping mapping, const MappingCosts& costs, PerThreads& predictions) const {
  if (!mapping.any_device()) {
    cpu_alone(predictions);
  } else if (mapping.decoupled()) {
    decoupled(mapping, costs, predictions);
  } else {
    coupled(mapping, costs, predictions);
  }
}

// Measured as it is: nothing is left to the model.
void Model::cpu_alone(PerThreads& predictions) const {
  for (int n = 1; n <= m_.cores + 1; ++n) predictions[n - 1] = combine(no_path_, cg_[n]);
  predictions.back() = combine(no_path_, mg_);
}

// Table III. One thread serves the device, the other n compute all stages on the CPU; n = 0 is the
// device alone.
void Model::decoupled(Mapping mapping, const MappingCosts& costs, PerThreads& predictions) const {
  const Path gpu = device_path(costs.device, kNoCost, costs.device.seconds, 0);
  predictions[0] = bound(mapping, false, gpu, no_path_);
  for (int n = 1; n <= m_.cores; ++n) predictions[n] = bound(mapping, false, gpu, cg_[n]);
  predictions.back() = bound(mapping, true, gpu, mg_);
}

// Table IV. Where a mapping has several runs of device stages the paper offers the minimum over a
// queue a run. There is one device and one coupled thread, though, so the times of all runs add up:
// queues that are each within their capacity would ask the one server behind them for more than its
// own (equation 6).
void Model::coupled(Mapping mapping, const MappingCosts& costs, PerThreads& predictions) const {
  const double device_s = costs.device.seconds;
  // min(mu_GPU, mu_CPUA) needs a second frame that uses one queue while the first uses the other.
  // One thread has one frame: a closed network (section IV) with one customer. mu_CPUB(0) is 0, so
  // the energy that the paper leaves open, E^CG(0), counts nothing.
  const Path in_turn = device_path(costs.device, costs.cg, device_s + costs.cg.seconds, 1);
  predictions[0] = bound(mapping, false, in_turn, no_path_);

  if (m_.one_coupled_thread) {
    const Path coarse = device_path(costs.device, costs.cg, larger(device_s, costs.cg.seconds), 1);
    for (int n = 1; n <= m_.cores; ++n) predictions[n] = bound(mapping, false, coarse, cpub_[n]);
  } else {
    coupled_by_any(mapping, costs, predictions);
  }

  // Under medium grain mu_CPUB = 0: every frame takes the GPU-CPU path.
  const Path medium =
      device_path(costs.device, costs.mg, larger(device_s, costs.mg.seconds), m_.cores);
  predictions.back() = bound(mapping, true, medium, no_path_);
}

// Coarse grain where any thread takes the device when it is free: a loss system. Each thread asks
// for the device once a run. If it is free the run takes G there, else B on the CPU, and then Z on
// the CPU until it asks again. After a run the device stays idle until somebody asks: the thread
// that left it, Z later, or one of the others, who ask at any time within their cycle of length L.
// The mean of the smallest of these times is (L / n) (1 - (1 - Z / L)^n). With x runs a second on
// the device and y on the CPU, x = 1 / (G + idle), x (G + Z) + y (B + Z) = n, and L = n / (x + y).
void Model::coupled_by_any(Mapping mapping, const MappingCosts& costs,
                           PerThreads& predictions) const {
  std::array<double, kMaxStages> gaps_s;  // Z after each run, in the time of one thread
  double before_s = 0;                    // before the first run: belongs to the gap after the last
  int runs = 0;
  for (int k = 0; k < stages(); ++k) {
    if (!mapping.on_device(k)) {
      (runs > 0 ? gaps_s[runs - 1] : before_s) += m_.stages[k].cg.seconds;
    } else if (k == 0 || !mapping.on_device(k - 1)) {
      gaps_s[runs++] = 0;
    }
  }
  gaps_s[runs - 1] += before_s;

  const double a_run = 1.0 / runs, per_on_cpu = runs * per_cpu_;
  const double device_s = costs.device.seconds * a_run, gap_s = costs.cg.seconds * a_run;
  const Path device_rate = device_path(costs.device, costs.cg, 1, 0);
  for (int first = 2; first <= m_.cores + 1; first += kLanes) {
    const Lanes n = load(threads_.count, first);
    // A first guess at the idle time: each of n - 1 others asks once in a cycle on the CPU alone.
    const Lanes slow = load(threads_.slowdown, first), speed = load(threads_.speed, first);
    const Lanes others = (n - 1) * (gap_s * per_on_cpu) + 1;
    Lanes x = others / (others * device_s + slow * gap_s);
    Lanes y = (n - x * (device_s + slow * gap_s)) * speed * per_on_cpu;
    // What follows from it is within a few percent of where it would settle. The thread that has
    // the device needs no core: n - 1 slow each other down.
    const Lanes utilisation = x * device_s;
    const Lanes slowdown = slow - utilisation * load(threads_.less_slow, first);
    const Lanes per_length = slowdown * (x + y) * load(threads_.per_count, first);
    Lanes asked{};
    for (int i = 0; i < runs; ++i) {
      const Lanes apart = 1 - gaps_s[i] * per_length;
      asked += 1 - power(apart > 0 ? apart : Lanes{}, first);
    }
    const Lanes rate = x + y;
    const Lanes on_device_s = device_s + slowdown * gap_s;
    x = smaller(rate / (rate * device_s + asked * a_run), n / on_device_s);
    y = (n - x * on_device_s) * (speed + utilisation * load(threads_.more_speed, first)) *
        per_on_cpu;
    predict_lanes(mapping, first, device_rate, x * a_run, y * a_run, slowdown, costs, predictions);
  }
}

void Model::predict_lanes(Mapping mapping, int first, const Path& rate, Lanes device_fps,
                          Lanes cpu_fps, Lanes slowdown, const MappingCosts& costs,
                          PerThreads& predictions) const {
  const Lanes device_latency_s = costs.device.seconds + slowdown * costs.cg.seconds;
  const Lanes cpu_latency_s = slowdown * cpu_.seconds;
  const Lanes latency_s = device_latency_s > cpu_latency_s ? device_latency_s : cpu_latency_s;
  const Lanes fps = device_fps + cpu_fps, in_flight = fps * latency_s;
  const int last = std::min(first + kLanes, m_.cores + 2);
  if (!always_bound_ && in_flight[0] <= most_in_flight_ && in_flight[1] <= most_in_flight_) {
    // As combine() does it.
    const auto watts = [&](double Energy::*domain, const std::vector<double>& ratio) {
      const Lanes cpu =
          device_fps * (rate.cpu_w.*domain) + cpu_fps * (cpu_.joules.*domain) * load(ratio, first);
      return larger(device_fps * (rate.device_w.*domain), cpu);
    };
    Lanes power_w = watts(&Energy::c, threads_.ratio_c) + watts(&Energy::g, threads_.ratio_g) +
                    watts(&Energy::u, threads_.ratio_u);
    power_w = power_w > most_w_ ? Lanes{} + most_w_ : power_w;
    const Lanes frame_s = 1 / fps, energy_j = power_w * frame_s, p_device = device_fps * frame_s;
    for (int n = first, i = 0; n < last; ++n, ++i)
      predictions[n - 1] = {fps[i], energy_j[i], p_device[i], power_w[i]};
    return;
  }
  for (int n = first, i = 0; n < last; ++n, ++i) {
    Path device = rate;
    device.scale(device_fps[i]);
    device.latency_s = device_latency_s[i];
    device.busy_cores = device_fps[i] * slowdown[i] * costs.cg.seconds;
    Path cpu;
    cpu.fps = cpu_fps[i];
    cpu.latency_s = cpu_latency_s[i];
    cpu.busy_cores = cpu.fps * cpu.latency_s;
    const Energy ratios{threads_.ratio_c[n], threads_.ratio_g[n], threads_.ratio_u[n]};
    cpu.cpu_w = cpu.fps * (ratios * cpu_.joules);
    predictions[n - 1] = bound(mapping, false, device, cpu);
  }
}

Model::Path Model::device_path(const Cost& device, const Cost& beside, double cycle_s,
                               int cores) const {
  const double fps = 1 / cycle_s;
  Path path;
  path.fps = fps;
  path.latency_s = device.seconds + beside.seconds;
  path.device_s = device.seconds;
  path.busy_cores = fps * beside.seconds * cores;
  path.device_w = fps * device.joules;
  path.cpu_w = fps * beside.joules;
  // In an additive domain all power is on the CPU's side of the balance, which thus outweighs the
  // device's.
  const Energy moved = additive_ * path.device_w;
  path.device_w = path.device_w - moved;
  path.cpu_w = path.cpu_w + moved;
  return path;
}

// Applies what bounds two paths together; mostly nothing does.
Prediction Model::bound(Mapping mapping, bool medium, const Path& device, const Path& cpu) const {
  if (!always_bound_ && within_window(device, cpu)) return combine(device, cpu);
  return bound_by_all(mapping, medium, device, cpu);
}

Prediction Model::bound_by_all(Mapping mapping, bool medium, Path device, Path cpu) const {
  share_cores(device, cpu);
  pass_serial_stages(mapping, medium, device, cpu);
  if (cpu.fps != 0) keep_window(device, cpu);  // else one path: nobody waits for the other
  return combine(device, cpu);
}

// A device that takes part of the cores (docs/model.md): both paths slow down alike.
void Model::share_cores(Path& device, Path& cpu) const {
  const double busy = std::min<double>(device.busy_cores + cpu.busy_cores, m_.cores);
  const double needed = busy + device.fps * device.device_s * m_.device_cores;
  if (!(needed > m_.cores)) return;
  const double share = m_.cores / needed;
  for (Path* path : {&device, &cpu}) {
    path->scale(share);
    path->latency_s /= share;
  }
}

// A serial stage serves one frame at a time, whichever path it is on: equation 6 for that stage.
void Model::pass_serial_stages(Mapping mapping, bool medium, Path& device, Path& cpu) const {
  double utilisation = 1;
  for (int k = 0; k < stages(); ++k) {
    const StageMeasurements& stage = m_.stages[k];
    if (!stage.serial) continue;
    const double cpu_s = medium ? stage.mg.seconds : stage.cg.seconds;
    const double device_s = mapping.on_device(k) ? stage.device.seconds : cpu_s;
    utilisation = larger(utilisation, device.fps * device_s + cpu.fps * cpu_s);
  }
  device.scale(1 / utilisation);
  cpu.scale(1 / utilisation);
}

bool Model::within_window(const Path& device, const Path& cpu) const {
  return (device.fps + cpu.fps) * larger(device.latency_s, cpu.latency_s) <= most_in_flight_;
}

// While one frame is on the slower path, at most `window` frames begin, itself included: then the
// faster path waits. When that frame is delivered the path that waits takes the first frame and the
// slower path the second, so window + 1 frames pass in one latency of the slower path.
void Model::keep_window(Path& device, Path& cpu) const {
  if (within_window(device, cpu)) return;
  const double bound_fps = most_in_flight_ / larger(device.latency_s, cpu.latency_s);
  Path& slow = cpu.latency_s > device.latency_s ? cpu : device;
  Path& fast = cpu.latency_s > device.latency_s ? device : cpu;
  if (slow.fps > bound_fps) slow.scale(bound_fps / slow.fps);
  fast.scale(std::max(bound_fps - slow.fps, 0.0) / fast.fps);
}

// Equations 3-10 for paths whose rates lambda_j are known. Equations 7, 9 and 10 are taken times
// lambda_e: with p_j lambda_e = lambda_j (equation 5), the energies become powers.
Prediction Model::combine(const Path& device, const Path& cpu) const {
  const double throughput_fps = device.fps + cpu.fps;  // equation 3
  if (!(throughput_fps > 0 && throughput_fps < kInfinity)) return {};
  double watts = larger(device.device_w.c, device.cpu_w.c + cpu.cpu_w.c) +
                 larger(device.device_w.g, device.cpu_w.g + cpu.cpu_w.g) +
                 larger(device.device_w.u, device.cpu_w.u + cpu.cpu_w.u);
  if (watts > most_w_) watts = most_w_;  // equation 8; unknown stays unknown
  const double frame_s = 1 / throughput_fps;
  return {throughput_fps, watts * frame_s, device.fps * frame_s, watts};
}

Prediction predict(const Measurements& measurements, const Configuration& configuration) {
  return Model(measurements).predict(configuration);
}

}  // namespace tandem
