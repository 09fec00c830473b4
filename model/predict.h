// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "model/configuration.h"
#include "model/measurements.h"

namespace tandem {

/// What a configuration is expected to do once it runs steadily. Each value may be unknown.
struct Prediction {
  double throughput_fps = kUnknown;  ///< lambda_e
  double energy_j = kUnknown;        ///< E_e: a frame's energy in the domains that are covered
  double p_device = kUnknown;        ///< the share of frames that take the path with the device
  double power_w = kUnknown;         ///< energy_j * throughput_fps
};

/// The queueing and energy model of paper 1, section IV: equations 3-10 with the parameters of
/// Tables III and IV, for one set of measurements. docs/model.md has the equations and says where
/// and why this differs from the paper.
///
/// Our executor differs from the paper's in CP-MG. The paper sends every frame through GPU-CPU
/// (Table IV: mu_CPUB = 0). Ours has two threads that share the medium-grain CPU, and one that
/// finds the device busy computes the 'g' stages on the CPU too. Where the device is the slower
/// side, CP-MG thus does better than predicted.
class Model {
 public:
  explicit Model(const Measurements& measurements);

  /// Threads are those of Configuration: 1 ... nC + 1, of which one serves the device if there is a
  /// 'g' stage. Unknown when a measurement that it needs is unknown, or a 'g' stage has no device.
  Prediction predict(const Configuration& configuration) const;

  /// Calls visit(configuration, prediction) for the configurations of all_configurations(), in its
  /// order. Allocates nothing per configuration.
  template <class Visit>
  void predict_all(Visit&& visit) const {
    if (stages() == 0) return;
    PerThreads predictions = make_room();
    const auto visit_mapping = [&](Mapping mapping, const MappingCosts& costs) {
      predict(mapping, costs, predictions);
      Configuration configuration{mapping, Granularity::coarse, 1};
      for (; configuration.threads <= m_.cores + 1; ++configuration.threads)
        visit(std::as_const(configuration), std::as_const(predictions[configuration.threads - 1]));
      visit(Configuration{mapping, Granularity::medium, m_.cores + 1},
            std::as_const(predictions.back()));
    };
    visit_mappings(stages() - 1, Mapping{0, stages()}, {}, visit_mapping);
  }

 private:
  /// One frame's costs under a mapping.
  struct MappingCosts {
    Cost device = kNoCost;  ///< the 'g' stages, and the transfers around each run of them
    Cost cg = kNoCost;      ///< the 'c' stages on one core
    Cost mg = kNoCost;      ///< the 'c' stages over all cores
  };
  /// One of the two paths that a frame can take (paper 1, Fig. 3).
  struct Path {
    double fps = 0;            ///< lambda_j of equations 3-5
    double latency_s = 0;      ///< one frame, from begin to end
    double device_s = 0;       ///< its part on the device, Q_GPU
    double busy_cores = 0;     ///< without what the device itself takes
    Energy device_w{0, 0, 0};  ///< power of Q_GPU: its rate times a frame's energy
    Energy cpu_w{0, 0, 0};     ///< power of Q_CPUA, or Q_CPU, or Q_CPUB

    void scale(double factor);  ///< rate and power
  };
  /// Two numbers of threads side by side.
  static constexpr int kLanes = 2;
  typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double))));
  /// The nC + 2 predictions of a mapping: threads 1 ... nC + 1, then medium grain.
  using PerThreads = std::vector<Prediction>;

  int stages() const { return static_cast<int>(m_.stages.size()); }
  PerThreads make_room() const { return PerThreads(m_.cores + 2); }
  void add_stage(int k, Mapping mapping, MappingCosts& costs) const;
  void predict(Mapping mapping, const MappingCosts& costs, PerThreads& predictions) const;
  void cpu_alone(PerThreads& predictions) const;
  void decoupled(Mapping mapping, const MappingCosts& costs, PerThreads& predictions) const;
  void coupled(Mapping mapping, const MappingCosts& costs, PerThreads& predictions) const;
  void coupled_by_any(Mapping mapping, const MappingCosts& costs, PerThreads& predictions) const;
  void predict_lanes(Mapping mapping, int first, const Path& rate, Lanes device_fps, Lanes cpu_fps,
                     Lanes slowdown, const MappingCosts& costs, PerThreads& predictions) const;
  void fill_threads();
  static Path cpu_path(const Cost& cost, int frames_at_once, double busy_cores);
  Path device_path(const Cost& device, const Cost& beside, double cycle_s, int cores) const;
  Prediction bound(Mapping mapping, bool medium, const Path& device, const Path& cpu) const;
  Prediction bound_by_all(Mapping mapping, bool medium, Path device, Path cpu) const;
  void share_cores(Path& device, Path& cpu) const;
  void pass_serial_stages(Mapping mapping, bool medium, Path& device, Path& cpu) const;
  bool within_window(const Path& device, const Path& cpu) const;
  void keep_window(Path& device, Path& cpu) const;
  Prediction combine(const Path& device, const Path& cpu) const;

  // Stages are decided last to first, 'c' before 'g': mappings come in ascending order and share
  // the sums of their last stages, so each costs about two additions.
  template <class VisitMapping>
  void visit_mappings(int k, Mapping mapping, const MappingCosts& costs,
                      VisitMapping& visit) const {
    for (const bool on_device : {false, true}) {
      if (on_device && !m_.stages[k].has_device) continue;
      if (on_device) mapping.device_stages |= 1u << k;
      MappingCosts with = costs;
      add_stage(k, mapping, with);
      if (k > 0) {
        visit_mappings(k - 1, mapping, with, visit);
      } else {
        visit(mapping, with);
      }
    }
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  Measurements m_;  ///< without the energies that do not count
  const Path no_path_;
  Path mg_;                    ///< all stages over all cores
  std::vector<Path> cg_;       ///< all stages on n threads, at [n]
  std::vector<Path> cpub_;     ///< Q_CPUB of n threads besides the coupled one, at [n]
  Energy additive_;            ///< 1 in the domains that are, else 0
  double most_w_ = kInfinity;  ///< thermal design power
  double most_in_flight_ = kInfinity;
  /// What n threads make of a frame, at [n]; goes on with ones, to be loaded in lanes.
  struct Threads {
    std::vector<double> count, per_count;       ///< n, 1 / n
    std::vector<double> slowdown, speed;        ///< of a frame beside n - 1 others, and the inverse
    std::vector<double> less_slow, more_speed;  ///< what one thread fewer makes of these
    std::vector<double> ratio_c, ratio_g, ratio_u;  ///< of a frame's energy to that with one thread
  } threads_;
  Cost cpu_;                   ///< a frame's on one thread
  double per_cpu_ = 0;         ///< 1 / its seconds
  bool always_bound_ = false;  ///< by serial stages or a device that takes cores
};

/// The prediction of one configuration.
Prediction predict(const Measurements& measurements, const Configuration& configuration);

}  // namespace tandem
