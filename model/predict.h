// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

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
/// Tables III and IV, for one set of measurements, which must outlive it. docs/model.md has the
/// equations and says where and why this differs from the paper.
///
/// Our executor differs from the paper's in CP-MG. The paper sends every frame through GPU-CPU
/// (Table IV: mu_CPUB = 0). Ours has two threads that share the medium-grain CPU, and one that
/// finds the device busy computes the 'g' stages on the CPU too. Where the device is the slower
/// side, CP-MG thus does better than predicted.
class Model {
 public:
  explicit Model(const Measurements& measurements);
  explicit Model(Measurements&&) = delete;  // it keeps a reference

  /// Threads are those of Configuration: 1 ... nC + 1, of which one serves the device if there is a
  /// 'g' stage. Unknown when a measurement that it needs is unknown, or a 'g' stage has no device.
  Prediction predict(const Configuration& configuration) const;

  /// Calls visit(configuration, prediction) for the configurations of all_configurations(), in its
  /// order. Allocates nothing per configuration.
  template <class Visit>
  void predict_all(Visit&& visit) const {
    if (stages() == 0) return;
    PerThreads predictions = make_room();
    const auto visit_mapping = [&](const MappingCosts& costs) {
      predict(costs, predictions);
      Configuration configuration{costs.mapping, Granularity::coarse, 1};
      for (; configuration.threads <= m_.cores + 1; ++configuration.threads)
        visit(std::as_const(configuration), std::as_const(predictions[configuration.threads - 1]));
      visit(Configuration{costs.mapping, Granularity::medium, m_.cores + 1},
            std::as_const(predictions.back()));
    };
    visit_mappings(stages() - 1, MappingCosts{{0, stages()}}, visit_mapping);
  }

 private:
  /// One frame's costs under a mapping.
  struct MappingCosts {
    Mapping mapping;
    Cost device = kNoCost;  ///< the 'g' stages, and the transfers around each run of them
    Cost cg = kNoCost;      ///< the 'c' stages on one core
    Cost mg = kNoCost;      ///< the 'c' stages over all cores
  };
  /// All stages on the CPU.
  struct CpuRate {
    double fps = kUnknown;  ///< 1 / cost.seconds
    Cost cost;
  };
  /// The nC + 2 predictions of a mapping: threads 1 ... nC + 1, then medium grain.
  using PerThreads = std::vector<Prediction>;

  int stages() const { return static_cast<int>(m_.stages.size()); }
  PerThreads make_room() const { return PerThreads(m_.cores + 2); }
  void add_stage(MappingCosts& costs, int k, bool on_device) const;
  void predict(const MappingCosts& costs, PerThreads& predictions) const;
  void cpu_alone(PerThreads& predictions) const;
  void decoupled(const MappingCosts& costs, PerThreads& predictions) const;
  void coupled(const MappingCosts& costs, PerThreads& predictions) const;

  // Stages are decided last to first, 'c' before 'g': mappings come in ascending order and share
  // the sums of their last stages, so each costs about two additions.
  template <class VisitMapping>
  void visit_mappings(int k, const MappingCosts& costs, VisitMapping& visit) const {
    for (const bool on_device : {false, true}) {
      if (on_device && !m_.stages[k].has_device) continue;
      MappingCosts with = costs;
      add_stage(with, k, on_device);
      if (k > 0) {
        visit_mappings(k - 1, with, visit);
      } else {
        visit(with);
      }
    }
  }

  const Measurements& m_;
  CpuRate mg_;
  std::vector<CpuRate> cg_;  ///< n threads at [n], n = 0 ... nC + 1
  bool any_serial_ = false, any_energy_ = false;
};

/// The prediction of one configuration.
Prediction predict(const Measurements& measurements, const Configuration& configuration);

}  // namespace tandem
