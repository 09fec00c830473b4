// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "model/estimator.h"
#include "model/objective.h"
#include "model/overhead.h"
#include "scheduler/learn/knowledge.h"
#include "scheduler/learn/neighbourhood.h"
#include "scheduler/learn/trainer.h"
#include "scheduler/learn/trial_run.h"

namespace tandem {

/// When the controller trains, and what it may choose.
struct AdaptRules {
  bool on_caps = true;         ///< when frames change
  bool on_drift = true;        ///< when service times leave what they were for good
  double max_overhead = 0.05;  ///< the share of time that training may cost (paper 1, equation 2)
  Allowed allowed;

  bool any() const { return on_caps || on_drift; }
};

/// Why the controller did something.
enum class Reason {
  caps,           ///< frames of a kind that nothing was known of
  remembered,     ///< frames of a kind that was learnt before
  drift,          ///< frames took longer or shorter than they used to
  asked,          ///< `retrain`
  objective,      ///< another objective
  rules,          ///< other rules
  device_failed,  ///< the device cannot be used any more
  not_allowed,    ///< training is due, but would cost more than max_overhead: goes on as it is
  too_short,      ///< the stream ended before training did: nothing was chosen
  waits,          ///< training is due, but another bin of the process trains: goes on as it is
  neighbours,     ///< other bins of the process began, ended, or got faster or slower sources
};
const char* to_string(Reason reason);

/// One decision, as the bin tells it.
struct Decision {
  Reason reason = Reason::caps;
  Configuration before, after;
  Prediction predicted;  ///< of `after`; unknown when nothing is known
  Measured measured;     ///< of `before`, since it was decided
  int experiments = 0;   ///< of the training that led to it; 0: none was made
  int trials = 0;        ///< that followed them
  int training_frames = 0;
  double training_s = 0;
  double penalty_s = 0;  ///< delta t of equation 1
  Choice choice;         ///< the ranking; count 0 when nothing is known
};

/// Observes, estimates, decides, settles: what paper 1, section III, does while the stream runs.
/// State in, decision out: times come in with the frames, and nothing here waits or locks.
///
/// Training is allowed when the penalties of all trainings since the stream began, with what the
/// next one is expected to cost, are at most the share `max_overhead` of the time that has passed.
/// The first one is free, as in the paper: there is nothing yet to compare it with.
///
/// What no equation knows, such as threads that get in the driver's way, is found out by trials:
/// after the experiments the best configuration runs for a moment, and where it does not do what
/// was expected the ranking is corrected and the next best is tried.
class Controller {
 public:
  /// What it controls.
  struct Chain {
    int stages = 1, cores = 1;
    uint32_t device_capable = 0;  ///< bit k: stage k can run on the device
    int devices = 1;              ///< of one kind
    std::vector<int> lanes;       ///< numbers of lanes above one that the device may have
    uint32_t serial_stages = 0;
    double tdp_w = 0;  ///< of what the meter covers; 0: unknown
    /// Domains of the energies; absent where there is no meter.
    Domains domains;
    double energy_resolution_s = 0;  ///< between new values of the meter
  };

  /// Other controllers; without them this one is alone with the machine.
  struct Neighbours {
    std::shared_ptr<Neighbourhood> shared;
    std::shared_ptr<Seat> seat;  ///< in shared->machine
  };

  Controller(const Chain& chain, std::shared_ptr<Knowledge> knowledge, ReadProbe read_probe,
             Neighbours neighbours = {});

  // Each of these returns what to run from now on, which may be what runs already.
  /// Frames of another kind come from now on (`key` names them). For before the first of them.
  Trainer::Step frames_changed(const std::string& key, int window);
  Trainer::Step set_rules(const AdaptRules& rules);
  Trainer::Step set_objective(const Objective& objective);
  /// Trains at the next frame, whatever the rules say about overhead.
  Trainer::Step retrain();
  /// Stages that can run on the device from now on; bit k: stage k.
  void set_device_capable(uint32_t stages) { chain_.device_capable = stages; }
  /// The device is gone for good.
  Trainer::Step device_failed();

  /// No frame comes for now. Training goes on if there are others after all, as in a loop.
  void stream_ended();

  /// Takes a finished frame. Returns what to run from now on, if it is something else.
  std::optional<Trainer::Step> frame_done(const FrameTimes& times, uint32_t device_stages);

  bool training() const { return trainer_ || trial_; }
  /// Which experiment or, after these, which trial of the training is under way, from 1 on; 0:
  /// none.
  int experiment() const { return trainer_ ? trainer_->number() : 0; }
  int trial() const { return trial_ ? trials_begun_ : 0; }
  const Configuration& configuration() const { return running_.configuration; }
  /// Of what runs; unknown while nothing is known or frames train.
  const Prediction& predicted() const { return predicted_; }
  /// Of what runs, since it was decided.
  Measured measured() const;
  /// What was learnt of the frames that come now; null while nothing is.
  const Learnt* learnt() const;

  struct Totals {
    int decisions = 0, trainings = 0, experiments = 0, training_frames = 0;
    double training_s = 0, penalty_s = 0;
    double stream_s = 0;  ///< from the first frame to the last
  };
  Totals totals() const;

  /// Called for every decision.
  std::function<void(const Decision&)> decided;
  /// Called after every trial.
  std::function<void(const Trial&)> tried;

 private:
  // Below this a prediction is not better but lucky, however quiet the samples were.
  static constexpr double kLeastNoise = 0.02;

  Trainer::Step decide(Reason reason);
  Trainer::Step start_training(Reason reason);
  Trainer::Step finish_experiments();
  Trainer::Step start_trial(const Configuration& configuration, TrialRun::Length length);
  Trainer::Step finish_trial();
  Trainer::Step try_or_settle();
  Trainer::Step finish_training(const Choice& choice);
  Training spent() const;
  double latency_s(const Learnt& learnt, const Configuration& configuration) const;
  double counter_s() const;
  void abandon_training();
  void settle(Reason reason, const Candidate& chosen, const Choice& choice, Decision decision = {});
  void remember(Learnt& learnt, const Candidate& chosen) const;
  const Candidate& pick(Learnt& learnt, const Choice& choice) const;
  static void forget_device(Learnt& learnt);
  bool may_train() const;
  /// What the rules and the share of the machine leave open.
  Allowed allowed() const;
  void name_knowledge();
  std::optional<Trainer::Step> look_at_neighbours();
  bool take_share();
  void ask_neighbours();
  bool take_turn();
  void end_turn();
  bool lacks_energy(const Learnt& learnt) const;
  Learnt* find();
  void run(const Configuration& configuration);
  void watch(const FrameTimes& times, uint32_t device_stages);

  Chain chain_;
  const std::shared_ptr<Knowledge> knowledge_;
  const ReadProbe read_probe_;
  AdaptRules rules_;
  Objective objective_;
  int window_ = 0;

  Trainer::Step running_;
  Prediction predicted_;
  std::string frames_;  // their kind; empty before the first
  std::string key_;     // of what is known of them
  const Neighbours neighbours_;
  uint64_t seen_epoch_ = 0;      // of the neighbours
  int cores_ = 1, at_work_ = 1;  // of the machine: this bin's part, and with how many it shares
  bool another_trains_ = false;
  bool device_lost_ = false;
  std::optional<Trainer> trainer_;
  std::optional<TrialRun> trial_;  // after the trainer
  int experiments_ = 0;            // of the training under way, once they are over
  int trials_begun_ = 0;           // of the training under way
  Reason training_for_ = Reason::caps;
  int told_too_short_ = 0;        // frames of it when the stream ended
  std::optional<Reason> wanted_;  // why to train as soon as that is allowed

  // Equation 2 over the whole stream: time that frames took outside and inside of training.
  Totals totals_;
  double last_penalty_s_ = 0;
  uint64_t first_ns_ = 0, last_ns_ = 0;
  uint64_t training_since_ns_ = 0;  // with what is under way between two experiments
  uint64_t training_held_ns_ = 0;   // in which frames waited for the sink: nothing is lost by that
  int training_frames_ = 0;

  // What runs, since it was decided: frames after the first ones, which fill the executor.
  Configuration settled_on_;  // the latest that was decided
  Measured measured_before_;  // of that, when training took its place
  int settled_frames_ = 0;
  uint64_t settled_ns_ = 0, last_begin_ns_ = 0;  // frames are begun in order, and end in bursts
  Probe settled_;

  // The watch over service times. One detector a path: a frame of the device is no slow frame of
  // the CPU.
  struct Path {
    /// Seconds a frame, once enough have passed.
    std::optional<double> sample(const FrameTimes& times);

    int seen = 0;                    ///< frames, of the first ones
    std::vector<double> services_s;  ///< of the sample under way
    uint64_t sample_began_ns = 0;
    std::vector<double> first_samples;
    std::optional<DriftDetector> drift;
  };
  std::map<uint32_t, Path> paths_;
  int busy_frames_ = 0;  // in a row that found others behind them
};

}  // namespace tandem
