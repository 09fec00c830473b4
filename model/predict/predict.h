// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "model/configuration.h"
#include "model/measurements.h"

namespace tandem {

/// Expected results of a configuration that runs steadily. Each value may be unknown.
struct Prediction {
  double throughput_fps = kUnknown;  ///< lambda_e
  double energy_j = kUnknown;        ///< E_e: a frame's energy in the domains that are covered
  double p_device = kUnknown;        ///< the share of frames that take the path with the device
  double power_w = kUnknown;         ///< energy_j * throughput_fps
  /// The 95th percentile of a frame's time from its begin until it and all before it are done.
  double latency_s = kUnknown;
};

/// The queueing and energy model of Vilches, section IV, for one set of measurements: equations
/// 3-10 with the parameters of Tables III and IV. The rate of coupled mappings follows the
/// executor's rules instead. docs/model.md has the equations and the reasons for differences.
class Model {
 public:
  /// `lanes`: those of the configurations that predict_all() visits; 0: one lane, and 2, 4 and so
  /// on where the device was measured with several.
  explicit Model(const Measurements& measurements, int lanes = 0);

  /// Threads are those of Configuration: 1 ... nC + 1, of which one serves each device if there is
  /// a 'g' stage. Unknown when a measurement that it needs is unknown, or a 'g' stage has no
  /// device.
  Prediction predict(const Configuration& configuration) const;

  /// Calls visit(configuration, prediction) for the configurations of all_configurations(),
  /// mappings in descending order. Skips those for which promising(fps, watts) is false, with an
  /// upper bound of the throughput and a lower bound of the power. Allocates nothing.
  template <class Visit, class Promising>
  void predict_all(Visit&& visit, Promising&& promising) const {
    if (stages() == 0) return;
    const auto visit_lanes = [&](Mapping mapping, MappingCosts costs, int lanes) {
      use_lanes(lanes, factors_[lanes - 1], costs);
      std::optional<DevicePower> power;
      Configuration configuration{mapping, Granularity::coarse, 1, lanes};
      const auto offer = [&] {
        const Limits limits = limits_of(configuration, costs);
        if (!promising(limits.most_fps, limits.least_w)) return;
        if (!power) power = power_of(costs.device);
        visit(std::as_const(configuration), predict(configuration, costs, *power));
      };
      offer();
      const Limits limits = limits_of(costs);
      if (!promising(limits.most_fps, limits.least_w)) return;
      while (++configuration.threads <= m_.cores + 1) offer();
      configuration = {mapping, Granularity::medium, m_.cores + 1, lanes};
      offer();
      if (split_stages_ == 0 || (mapping.any_device() && !mapping.decoupled())) return;
      for (const int frames : {2, 4}) {
        configuration.frames_at_once = frames;
        if (frames <= m_.cores) visit(std::as_const(configuration), predict(configuration));
      }
    };
    const auto visit_mapping = [&](Mapping mapping, const MappingCosts& costs) {
      const int most = mapping.any_device() ? most_lanes_ : 1;
      for (int lanes = mapping.any_device() ? least_lanes_ : 1; lanes <= most; lanes *= 2)
        visit_lanes(mapping, costs, lanes);
    };
    visit_mappings(stages() - 1, Mapping{0, stages()}, {}, visit_mapping);
    visit_splits(visit);
  }
  template <class Visit>
  void predict_all(Visit&& visit) const {
    predict_all(visit, [](double, double) { return true; });
  }

 private:
  /// One frame's costs under a mapping.
  struct MappingCosts {
    Cost device = kNoCost;  ///< the 'g' stages, and the transfers around each run of them
    double cg_s = 0;        ///< the 'c' stages on one core
    double mg_s = 0;        ///< the 'c' stages over all cores
    double saved = 1;       ///< the share of a frame's work on a core that the 'g' stages are
    double most_gain = 0;   ///< of the device over all cores, in the 'g' stage it is best at
    int runs = 0;           ///< of 'g' stages
    double upload_s = 0, download_s = 0;  ///< of `device`
    int lanes = 1;
  };
  /// All stages on the CPU, in one of the experiments.
  struct Cpu {
    double fps = 0;
    double latency_s = 0;  ///< one frame, from begin to end
    double p95_s = 0;      ///< 95th percentile of that
    double busy_cores = 0;
    double crowding = 1;  ///< rate of one thread alone / rate of all
    Energy watts{0, 0, 0};
    double total_w = 0;
  };
  /// The device's power under a mapping. In an additive domain it counts on the CPU's side of the
  /// balance, which thus outweighs the device's.
  struct DevicePower {
    Energy own_w, with_cpu_w;
  };
  /// From one use of the device to the next, on average. A use takes one frame through all 'g'
  /// stages.
  struct Cycle {
    const Cpu& besides;           ///< the CPU while the device works
    const Cpu& alone;             ///< the CPU while the device waits to be asked
    double device_s = 0;          ///< the device works
    double idle_s = 0;            ///< it waits
    double frames = 0;            ///< that the executor finishes meanwhile, the device's included
    double device_latency_s = 0;  ///< of that one
    double cpu_latency_s = 0;     ///< of one that takes the CPU path
    double waits_s = 0;           ///< the device's, for the cores under medium grain
    /// Medium grain: time of stages on the cores / that with one frame at a time. Else 0.
    double medium_factor = 0;
  };

  /// Bounds of a prediction.
  struct Limits {
    double most_fps, least_w;
  };

  int stages() const { return static_cast<int>(m_.stages.size()); }
  double crowding(int on_cores) const;
  /// Threads that serve devices: one for each, as far as there are threads.
  int servers(int threads) const { return threads < m_.devices ? threads : m_.devices; }
  /// Frames at a time.
  int on_device(const MappingCosts& costs) const { return m_.devices * costs.lanes; }
  LaneFactor lane_factor(int lanes) const;
  static void use_lanes(int lanes, const LaneFactor& factor, MappingCosts& costs);
  double idle_with_lanes_s(const MappingCosts& costs, const Cpu& others, const Cpu& all,
                           double idle_s) const;
  void begin_run(int k, MappingCosts& costs) const;
  void add_stage(int k, Mapping mapping, MappingCosts& costs) const;
  Prediction predict(const Configuration& configuration, const MappingCosts& costs,
                     const DevicePower& power) const;
  Limits limits_of(const Configuration& configuration, const MappingCosts& costs) const;
  Limits limits_of(const MappingCosts& costs) const;
  double most_medium_fps(const MappingCosts& costs) const;
  static Cpu cpu(const Cost& cost, int frames_at_once, double busy_cores);
  DevicePower power_of(const Cost& device) const;
  Cycle coarse(const MappingCosts& costs, int threads) const;
  Cycle medium(Mapping mapping, const MappingCosts& costs) const;
  Cycle several_at_once(const MappingCosts& costs, int frames_at_once) const;
  void spread_frames();
  Prediction on_both_sides(const Configuration& configuration) const;
  void one_run(const MappingCosts& costs, Cycle& cycle) const;
  void many_lanes(const MappingCosts& costs, Cycle& cycle) const;
  void many_runs(Mapping mapping, Cycle& cycle) const;
  Cycle without_cpu_path(const Configuration& configuration, const MappingCosts& costs) const;
  double slowdown(const Cpu& besides) const;
  Prediction combine(Cycle&& cycle, const DevicePower& power, Mapping mapping) const;
  Prediction keep_window(const Cycle& cycle, const DevicePower& power, double most_fps) const;
  double together_w(const Cpu& cpu, double cpu_share, const DevicePower& device,
                    double device_share) const;
  static double latency_s(const Cycle& cycle);
  double waits_behind_lanes_s(const MappingCosts& costs, const Cycle& cycle, int threads,
                              double idle_s) const;
  void spread_latencies();
  double serial_utilisation(const Cycle& cycle, Mapping mapping) const;
  Prediction finish(double throughput_fps, double device_fps, double watts, double latency_s) const;

  // Splits all stages that can be split, with the share that was found; once for each side of the
  // others.
  template <class Visit>
  void visit_splits(Visit& visit) const {
    if (m_.split.cpu_share == 0) return;
    Configuration configuration{
        {split_stages_, stages(), Side::s}, Granularity::medium, m_.cores + 1};
    configuration.cpu_share = m_.split.cpu_share;
    const Mapping all_split = configuration.mapping;
    const uint32_t others = (1u << stages()) - 1 - split_stages_;
    // The next part of `others` in the order of numbers; after the last one 0.
    for (uint32_t on_device = others;; on_device = (on_device - 1) & others) {
      configuration.mapping = all_split;
      for (int k = 0; k < stages(); ++k)
        if ((on_device >> k & 1) != 0) configuration.mapping.set(k, Side::g);
      const Prediction prediction = on_both_sides(configuration);
      if (known(prediction.throughput_fps)) visit(std::as_const(configuration), prediction);
      if (on_device == 0) return;
    }
  }

  // Stages are decided last to first: mappings share the sums of their last stages, so each costs
  // about two additions. 'g' before 'c', as good predictions early on spare others later.
  template <class VisitMapping>
  void visit_mappings(int k, Mapping mapping, const MappingCosts& costs,
                      VisitMapping& visit) const {
    for (const Side side : {Side::g, Side::c}) {
      if (side == Side::c ? !m_.stages[k].has_cpu : !m_.stages[k].has_device) continue;
      mapping.set(k, side);
      MappingCosts with = costs;
      add_stage(k, mapping, with);
      if (k > 0) {
        visit_mappings(k - 1, mapping, with, visit);
      } else {
        visit(mapping, with);
      }
    }
  }

  /// A cycle with no more frames than that on the CPU path has none.
  static constexpr double kFewFrames = 1e-9;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  Measurements m_;                        ///< without the energies that do not count
  double cg_s_ = 0, mg_s_ = 0;            ///< a frame on one core, over all cores
  int least_lanes_ = 1, most_lanes_ = 1;  ///< of the configurations that are visited
  std::array<LaneFactor, kMaxLanes> factors_;
  std::vector<double> gain_;       ///< of the device over all cores, each stage
  Cpu mg_;                         ///< all stages over all cores
  std::array<Cpu, 5> mg_at_once_;  ///< the same with so many frames at a time; 0 and 3: unused
  std::vector<Cpu> cg_;            ///< all stages on n threads, at [n]; n = 0: nothing runs
  Cpu extremes_;               ///< the most rate and latency, the least crowding and power of all
  Energy additive_;            ///< 1 in the domains that are, else 0
  double most_w_ = kInfinity;  ///< thermal design power
  double most_in_flight_ = kInfinity;
  uint32_t split_stages_ = 0;  ///< bit k: stage k can be split
  bool any_serial_ = false;
  bool keeps_its_time_ = true;  ///< the device, whatever the cores do
  bool cpu_path_ = true;        ///< the CPU can compute whole frames
};

/// The prediction of one configuration.
Prediction predict(const Measurements& measurements, const Configuration& configuration);

}  // namespace tandem
