// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/predict.h"

#include <algorithm>
#include <limits>

// Paths stays in registers when what works on it is inlined, which halves the time of a prediction.
#define TANDEM_INLINE [[gnu::always_inline]] inline

namespace tandem {
namespace {

// std::max would drop an unknown value, depending on the order.
double larger(double a, double b) { return a > b || !known(a) ? a : b; }

void add(Cost& sum, const Cost& cost) {
  sum.seconds += cost.seconds;
  sum.joules.c += cost.joules.c;
  sum.joules.g += cost.joules.g;
  sum.joules.u += cost.joules.u;
}

// The energy balance of one domain.
double balance(Domain domain, double device, double cpu) {
  if (domain == Domain::dominant) return larger(device, cpu);
  return domain == Domain::additive ? device + cpu : 0;
}

constexpr Energy kNoEnergy{0, 0, 0};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The two paths that a frame can take (paper 1, Fig. 3).
struct Paths {
  double device_fps = 0;        ///< lambda of the GPU path (DP) or the GPU-CPU path (CP)
  double device_latency_s = 0;  ///< one frame, from begin to end
  double device_s = 0;          ///< Q_GPU: its part on the device
  const Energy* device = &kNoEnergy;
  const Energy* beside = &kNoEnergy;  ///< Q_CPUA: the same frame's energy on the CPU
  double cpu_fps = 0;                 ///< lambda of the CPU path, Q_CPU or Q_CPUB
  double cpu_latency_s = 0;
  const Energy* cpu = &kNoEnergy;
  double busy_cores = 0;  ///< by both paths, without what the device itself takes
};

// A device that takes part of the cores (docs/model.md): both paths slow down alike.
void share_cores(const Measurements& m, Paths& paths) {
  const double needed = paths.busy_cores + paths.device_fps * paths.device_s * m.device_cores;
  if (!(needed > m.cores)) return;
  const double share = m.cores / needed;
  paths.device_fps *= share;
  paths.cpu_fps *= share;
  paths.device_latency_s /= share;
  paths.cpu_latency_s /= share;
}

// A serial stage serves one frame at a time, whichever path it is on: equation 6 for that stage.
void pass_serial_stages(const Measurements& m, Mapping mapping, bool medium, Paths& paths) {
  double utilisation = 1;
  for (int k = 0; k < mapping.stages; ++k) {
    const StageMeasurements& stage = m.stages[k];
    if (!stage.serial) continue;
    const double cpu_s = medium ? stage.mg.seconds : stage.cg.seconds;
    const double device_s = mapping.on_device(k) ? stage.device.seconds : cpu_s;
    utilisation = larger(utilisation, paths.device_fps * device_s + paths.cpu_fps * cpu_s);
  }
  paths.device_fps /= utilisation;
  paths.cpu_fps /= utilisation;
}

// While one frame is on the slower path, at most `window` frames begin, itself included: then the
// faster path waits. When that frame is delivered the path that waits takes the first frame and the
// slower path the second, so window + 1 frames pass in one latency of the slower path.
void keep_window(int window, Paths& paths) {
  if (paths.cpu_fps == 0) return;  // one path: nobody waits for the other
  const double latency_s = larger(paths.cpu_latency_s, paths.device_latency_s);
  if (!((paths.cpu_fps + paths.device_fps) * latency_s > window + 1)) return;
  const double bound_fps = (window + 1) / latency_s;
  if (paths.cpu_latency_s > paths.device_latency_s) {
    paths.cpu_fps = std::min(paths.cpu_fps, bound_fps);
    paths.device_fps = bound_fps - paths.cpu_fps;
  } else {
    paths.device_fps = std::min(paths.device_fps, bound_fps);
    paths.cpu_fps = bound_fps - paths.device_fps;
  }
}

// Equations 7, 9 and 10 times lambda_e: with p_j lambda_e = lambda_j (equation 5), the energy per
// frame of a queue becomes its power, its rate times the energy of the frames that it serves.
TANDEM_INLINE double power_w(const Domains& domains, const Paths& paths) {
  const auto of = [&](Domain domain, double Energy::*joules) {
    const double device_w = paths.device_fps * paths.device->*joules;
    const double cpu_w =
        paths.device_fps * paths.beside->*joules + paths.cpu_fps * paths.cpu->*joules;
    return balance(domain, device_w, cpu_w);
  };
  return of(domains.c, &Energy::c) + of(domains.g, &Energy::g) + of(domains.u, &Energy::u);
}

// Equations 3-10 for paths whose rates are known.
TANDEM_INLINE Prediction predict_paths(const Measurements& m, bool any_energy, const Paths& paths) {
  const double throughput_fps = paths.device_fps + paths.cpu_fps;  // equation 3
  if (!(throughput_fps > 0 && throughput_fps < kInfinity)) return {};
  double watts = any_energy ? power_w(m.domains, paths) : kUnknown;
  if (m.tdp_w > 0 && watts > m.tdp_w) watts = m.tdp_w;  // equation 8; unknown stays unknown
  const double frame_s = 1 / throughput_fps;
  return {throughput_fps, watts * frame_s, paths.device_fps * frame_s, watts};
}

TANDEM_INLINE Prediction bound_and_predict(const Measurements& m, bool any_serial, bool any_energy,
                                           Mapping mapping, bool medium, Paths paths) {
  if (m.device_cores > 0) share_cores(m, paths);
  if (any_serial) pass_serial_stages(m, mapping, medium, paths);
  if (m.window > 0) keep_window(m.window, paths);
  return predict_paths(m, any_energy, paths);
}

}  // namespace

Model::Model(const Measurements& measurements) : m_(measurements) {
  const Domains& domains = m_.domains;
  for (const Domain domain : {domains.c, domains.g, domains.u})
    any_energy_ = any_energy_ || domain != Domain::absent;
  mg_.cost = kNoCost;
  for (const StageMeasurements& stage : m_.stages) {
    add(mg_.cost, stage.mg);
    any_serial_ = any_serial_ || stage.serial;
  }
  mg_.fps = 1 / mg_.cost.seconds;
  cg_.resize(m_.cores + 2);  // unknown where nothing was measured
  for (std::size_t n = 1; n < cg_.size() && n <= m_.cg.size(); ++n)
    cg_[n] = {1 / m_.cg[n - 1].seconds, m_.cg[n - 1]};
}

// The run that stage k + 1 begins is known to begin there only now, when stage k is not in it.
void Model::add_stage(MappingCosts& costs, int k, bool on_device) const {
  const StageMeasurements& stage = m_.stages[k];
  const bool next_on_device = k + 1 < stages() && costs.mapping.on_device(k + 1);
  if (on_device) {
    costs.mapping.device_stages |= 1u << k;
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
  MappingCosts costs{{0, stages()}};
  for (int k = stages() - 1; k >= 0; --k) {
    if (mapping.on_device(k) && !m_.stages[k].has_device) return {};
    add_stage(costs, k, mapping.on_device(k));
  }
  PerThreads predictions = make_room();
  predict(costs, predictions);
  if (configuration.granularity == Granularity::medium) return predictions.back();
  const int threads = configuration.threads;
  return threads >= 1 && threads <= m_.cores + 1 ? predictions[threads - 1] : Prediction{};
}

void Model::predict(const MappingCosts& costs, PerThreads& predictions) const {
  if (!costs.mapping.any_device()) {
    cpu_alone(predictions);
  } else if (costs.mapping.decoupled()) {
    decoupled(costs, predictions);
  } else {
    coupled(costs, predictions);
  }
}

// Measured as it is: nothing is left to the model.
void Model::cpu_alone(PerThreads& predictions) const {
  const auto of = [&](const CpuRate& all) {
    Paths paths;
    paths.cpu_fps = all.fps;
    paths.cpu = &all.cost.joules;
    return predict_paths(m_, any_energy_, paths);
  };
  for (int n = 1; n <= m_.cores + 1; ++n) predictions[n - 1] = of(cg_[n]);
  predictions.back() = of(mg_);
}

// Table III. One thread serves the device, the other n compute all stages on the CPU; n = 0 is the
// device alone.
void Model::decoupled(const MappingCosts& costs, PerThreads& predictions) const {
  const auto finish = [&](const Paths& paths, bool medium) {
    return bound_and_predict(m_, any_serial_, any_energy_, costs.mapping, medium, paths);
  };
  Paths device;
  device.device_fps = 1 / costs.device.seconds;
  device.device_latency_s = device.device_s = costs.device.seconds;
  device.device = &costs.device.joules;
  const auto with_cpu = [&](const CpuRate& cpu, int frames_at_once, int busy_cores) {
    Paths paths = device;
    paths.cpu_fps = cpu.fps;
    paths.cpu_latency_s = frames_at_once * cpu.cost.seconds;
    paths.cpu = &cpu.cost.joules;
    paths.busy_cores = busy_cores;
    return paths;
  };
  predictions[0] = finish(device, false);
  for (int n = 1; n <= m_.cores; ++n) predictions[n] = finish(with_cpu(cg_[n], n, n), false);
  predictions.back() = finish(with_cpu(mg_, 1, m_.cores), true);
}

// Table IV. Where a mapping has several runs of device stages the paper offers the minimum over a
// queue a run. There is one device and one coupled thread, though, so the times of all runs add up:
// queues that are each within their capacity would ask the one server behind them for more than its
// own (equation 6).
void Model::coupled(const MappingCosts& costs, PerThreads& predictions) const {
  const auto finish = [&](const Paths& paths, bool medium) {
    return bound_and_predict(m_, any_serial_, any_energy_, costs.mapping, medium, paths);
  };
  const auto gpu_cpu = [&](const Cost& beside, double cycle_s, int cores) {
    Paths paths;
    paths.device_fps = 1 / cycle_s;
    paths.device_latency_s = costs.device.seconds + beside.seconds;
    paths.device_s = costs.device.seconds;
    paths.device = &costs.device.joules;
    paths.beside = &beside.joules;
    paths.busy_cores = paths.device_fps * beside.seconds * cores;
    return paths;
  };

  // min(mu_GPU, mu_CPUA) needs a second frame that uses one queue while the first uses the other.
  // One thread has one frame: a closed network (section IV) with one customer. mu_CPUB(0) is 0, so
  // the energy that the paper leaves open, E^CG(0), counts nothing.
  const double in_turn_s = costs.device.seconds + costs.cg.seconds;
  predictions[0] = finish(gpu_cpu(costs.cg, in_turn_s, 1), false);

  const Paths path = gpu_cpu(costs.cg, larger(costs.device.seconds, costs.cg.seconds), 1);
  for (int n = 1; n <= m_.cores; ++n) {
    Paths paths = path;
    // Threads that do not scale at all would leave less than nothing for Q_CPUB.
    paths.cpu_fps = larger(cg_[n + 1].fps - cg_[1].fps, 0);
    paths.cpu_latency_s = (n + 1) * cg_[n + 1].cost.seconds;
    paths.cpu = &cg_[n].cost.joules;
    paths.busy_cores = std::min(n + path.busy_cores, static_cast<double>(m_.cores));
    predictions[n] = finish(paths, false);
  }

  // Under medium grain mu_CPUB = 0: every frame takes the GPU-CPU path.
  const double cycle_s = larger(costs.device.seconds, costs.mg.seconds);
  predictions.back() = finish(gpu_cpu(costs.mg, cycle_s, m_.cores), true);
}

Prediction predict(const Measurements& measurements, const Configuration& configuration) {
  return Model(measurements).predict(configuration);
}

}  // namespace tandem
