// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "model/estimator.h"
#include "model/objective.h"
#include "scheduler/trainer.h"

namespace tandem {

/// When the controller trains.
struct AdaptRules {
  bool on_caps = true;         ///< when frames change
  bool on_drift = true;        ///< when service times leave what they were for good
  double max_overhead = 0.05;  ///< the share of time that training may cost (paper 1, equation 2)
};

/// Why the controller did something.
enum class Reason { caps, remembered, drift, asked, objective, not_allowed };
const char* to_string(Reason reason);

/// One decision, as the bin tells it.
struct Decision {
  Reason reason = Reason::caps;
  Configuration before, after;
  Prediction predicted;  ///< of `after`; unknown when nothing was trained
  int experiments = 0;   ///< of the training that led to it; 0: none was made
  int training_frames = 0;
  double training_s = 0;
  Choice choice;  ///< the ranking; count 0 when nothing was trained
};

/// Observes, estimates, decides, settles: what paper 1, section III, does while the stream runs.
/// State in, decision out: times come in with the frames, and nothing here waits or locks.
class Controller {
 public:
  Controller(int stages, int cores, uint32_t device_capable, AdaptRules rules, Objective objective,
             int device_cores);

  /// Frames of another kind come from now on (`key` names them: size and format). Returns what to
  /// run for them, in any case before the first of them.
  Trainer::Step frames_changed(const std::string& key, int window);
  /// Takes a finished frame. Returns what to run from now on, if it is something else.
  std::optional<Trainer::Step> frame_done(const Item::Times& times, uint32_t device_stages);
  /// Trains at the next frame, whatever the rules say.
  std::optional<Trainer::Step> retrain();
  /// Decides anew with the measurements that there are.
  std::optional<Trainer::Step> set_objective(const Objective& objective);
  void set_rules(const AdaptRules& rules) { rules_ = rules; }

  bool training() const { return trainer_.has_value(); }
  const Configuration& configuration() const { return running_.configuration; }

  /// Called for every decision.
  std::function<void(const Decision&)> decided;

 private:
  /// What is known of frames of one kind.
  struct Known {
    Measurements measurements;
    double relative_error = 0;
    Candidate chosen;
  };

  Trainer::Step start_training(Reason reason);
  Trainer::Step finish_training();
  Trainer::Step settle(Reason reason, const Candidate& chosen, const Choice& choice);
  bool may_train() const;
  void watch(const Item::Times& times, uint32_t device_stages);

  const int stages_, cores_, device_cores_;
  const uint32_t device_capable_;
  AdaptRules rules_;
  Objective objective_;
  int window_ = 0;

  Trainer::Step running_;
  std::string key_;
  std::map<std::string, Known> known_;  // for the life of the stream
  std::optional<Trainer> trainer_;
  Reason training_for_ = Reason::caps;

  // Equation 2 over the whole stream: time that frames took outside and inside of training.
  double penalty_s_ = 0, last_penalty_s_ = 0;
  uint64_t first_ns_ = 0, last_ns_ = 0;

  // The watch over service times. One detector a path: a frame of the device is no slow frame of
  // the CPU.
  struct Path {
    std::vector<double> first_samples;
    std::optional<DriftDetector> drift;
  };
  std::map<uint32_t, Path> paths_;
  bool drifted_ = false;
};

}  // namespace tandem
