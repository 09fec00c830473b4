// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/objective.h"
#include "scheduler/learn/belief/next_experiment.h"
#include "scheduler/learn/facts/energy_track.h"
#include "scheduler/learn/facts/experiment.h"
#include "scheduler/learn/keep/derived.h"
#include "scheduler/learn/keep/knowledge.h"
#include "scheduler/learn/run/balance.h"
#include "scheduler/learn/run/budget.h"
#include "scheduler/learn/run/decision.h"
#include "scheduler/learn/run/neighbourhood.h"
#include "scheduler/learn/run/watch.h"

namespace tandem {

/// When the controller trains, and which configurations it may choose.
struct AdaptRules {
  bool on_caps = true;         ///< when frames change
  bool on_drift = true;        ///< when service times change for good
  double max_overhead = 0.05;  ///< the share of time that training may cost (Vilches, equation 2)
  Constraints allowed;

  bool any() const { return on_caps || on_drift; }
};

/// The devices of a chain.
struct DeviceSide {
  std::vector<DeviceLetter> letters;  ///< g, h, i; empty: there is no device
  std::string name;                   ///< as in Conditions
  bool coming = false;  ///< nothing is decided before they are there; the cores compute
};

/// Observes, estimates, decides, settles, as in Vilches, section III, but while the stream runs.
/// State in, decision out: times come in with the frames, and nothing here waits or locks. It keeps
/// the states. Experiment measures, interpret() evaluates, next_experiment() plans, Budget decides
/// when training may begin, and Watch when it has to.
///
/// ```
/// Awaiting --- the device joins ---> decide()
///
///             known and verified            slow frames, and a pause is over
/// decide() -----------------------> Settled <------------------------------> Returning
///   |  |                             ^ |  ^
///   |  | known, not verified   holds | |  | holds
///   |  +------------> Verifying -----+ |  +------------ Earlier
///   |                   |  | stale, and slow frames      ^  |
///   |                   |  +-----------------------------+  | does not hold
///   | unknown           | stale        | wanted_            |
///   +-------------------+-> Training <-+--------------------+
///                              | chosen
///                              +-----> Settled
/// ```
///
/// Every event but a frame leads to decide(). A training that is not allowed waits in `wanted_`.
class Controller {
 public:
  /// Other controllers; without them this one is alone with the machine.
  struct Neighbours {
    std::shared_ptr<Neighbourhood> shared;
    std::shared_ptr<Seat> seat;  ///< in shared->machine
  };

  Controller(const Chain& chain, std::shared_ptr<Knowledge> knowledge, ReadProbe read_probe,
             Neighbours neighbours = {});

  /// Takes knowledge of earlier processes, for before frames_changed(). Its choice runs at once
  /// where conditions are the same, and other sizes are derived from it; up to four looks verify
  /// it. Knowledge of another chain is left out, as are conditions that this one knows already.
  void know(std::vector<Known> known);

  /// Whether something was learnt under such conditions, of frames of any size and, while it is
  /// not known which device there is, with any device.
  bool knows_work(const Conditions& conditions, bool any_device = false) const;

  // Each of these returns the step to run from now on, which may be the running one.
  /// Frames come under other conditions from now on, whose cores are all that the bin could have.
  /// For before the first of them. `window`: most of them in flight. `period`: see Chain.
  Step frames_changed(const Conditions& conditions, int window, int period = 1);
  Step set_rules(const AdaptRules& rules);
  Step set_objective(const Objective& objective);
  /// The rate of a live source, 0 for another one. For before frames_changed(), which decides.
  void set_source(double live_fps);
  /// Trains at the next frame, whatever the rules say about overhead.
  Step retrain();
  /// The meter's domains, and the time between its new values, once the device is known. For before
  /// set_device().
  void set_energy(const Domains& domains, double resolution_s);
  const Objective& objective() const { return objective_; }
  const AdaptRules& rules() const { return rules_; }
  bool awaits_device() const {
    const auto* awaiting = std::get_if<Awaiting>(&state_);
    return awaiting && !awaiting->joined;
  }
  /// The devices from now on. For before set_rules(), which decides.
  void set_device(const DeviceSide& device);
  /// One of several devices is gone, the others go on.
  Step device_left_out(const DeviceSide& left);
  /// The device is gone for good, or the last of several.
  Step device_failed();

  /// No frame comes for now. Training goes on if there are others after all, as in a loop.
  void stream_ended();

  /// Takes a finished frame. Returns the step to run from now on, if it is another.
  std::optional<Step> frame_done(const FrameTimes& times, uint32_t device_stages);

  bool training() const { return std::holds_alternative<Training>(state_); }
  /// Which experiment or, after these, which trial of the training is under way, from 1 on; 0:
  /// none.
  int experiment() const { return under_way(false); }
  int trial() const { return under_way(true); }
  const Configuration& configuration() const { return running_.configuration; }
  /// Prediction of the running configuration; unknown without knowledge or while frames train.
  const Prediction& predicted() const { return predicted_; }
  /// Choice::expected_loss of the decision for it.
  double expected_loss() const { return expected_loss_; }
  /// Measurements of the running configuration since it was decided.
  Measured measured() const { return steady_.measured(chain_.domains, read_probe_); }
  /// The same of latency alone, without asking a meter.
  double latency_p95_s() const { return steady_.latency_p95_s(); }
  /// Knowledge of the frames that come now; null while there is none.
  const Learnt* learnt() const;

  struct Totals : Budget::Totals {
    int decisions = 0, experiments = 0;
    Spent spent;  ///< by the trainings that ended
  };
  Totals totals() const { return {budget_.totals(), decisions_, experiments_, spent_}; }

  /// Called for every decision.
  std::function<void(const Decision&)> decided;
  /// Called with the results of a training that are worth keeping for others: with any lanes, the
  /// whole device, and a source that kept the threads busy. Called once more if its choice has
  /// another rate in the first seconds after it, and if it holds again after another training took
  /// its place.
  std::function<void(const Conditions&, const Learnt&)> trained;
  /// Called after every experiment of a training, after every trial, and after every look outside
  /// of trainings.
  std::function<void(const Observation&)> observed;
  std::function<void(const Trial&)> tried;
  /// Called before every trial, with the reason in words.
  std::function<void(const std::string& why)> tries;
  std::function<void(const Observation&)> looked;
  /// Called when frames take another time, with how many times as long they take as before.
  std::function<void(const Slowdown&)> drifted;

 private:
  // For this time the first frames of a choice are not followed.
  static constexpr uint64_t kUnfollowed_ns = 1'000'000'000;

  /// The cores compute until the device's programs are built.
  struct Awaiting {
    bool first_frame_left = false;
    bool joined = false;  ///< the rules with the device are due
  };

  struct Settled {};  ///< the configuration of the latest decision runs

  /// Experiments and trials run, in turn.
  struct Training {
    Reason reason = Reason::caps;
    Facts facts;
    Experiment experiment;
    EnergyTrack energy;
    Candidate otherwise;  ///< would run instead, with its rate of these frames, if known
    std::vector<Tried> tried = {};
  };

  /// A look at a configuration, by its rate.
  struct Look {
    Experiment experiment;
  };
  /// Looks at configurations that run, or may, by knowledge that this stream did not gain.
  struct Verifying : Look {
    std::vector<Observation> looks = {};
  };
  /// A look at the configuration from before frames took another time.
  struct Returning : Look {
    double beats_fps;  ///< that it has to reach, to run again
    bool former;       ///< it is of `former_`
  };
  /// The same before a training, which it may spare.
  struct Earlier : Look {
    Candidate best_of_slow;  ///< runs otherwise
    bool former;
  };

  using State = std::variant<Settled, Awaiting, Training, Verifying, Returning, Earlier>;

  /// The time of the next look at the earlier configuration.
  struct Return {
    double pause_s = 2;  ///< until then; longer each time that it is still slower
    double at_s = 0;     ///< by the frames' clock; 0: the pause has not begun
  };

  /// Derived knowledge while frames take another time than when they were learnt.
  struct Slower {
    Learnt learnt;
    Slowdown by;
    std::optional<Slowdown> instead;  ///< the slowdown to assume if looks refute `by`
    Return returning = {};
    bool again = false;  ///< frames were slow before they changed to this
    bool waits = false;  ///< to train; frames may have changed when that is allowed
  };

  /// Knowledge that a training for slow frames replaced. It may hold again.
  struct Former {
    Conditions conditions;
    Learnt learnt;
    Return returning = {};
  };

  /// Frames of a training's choice.
  struct Following {
    uint64_t since_ns = 0;  ///< when the first of them begins, by the frames' clock
    uint64_t last_ns = 0;   ///< when the latest of them has begun; 0: none has
    int frames = 0, starved = 0;
  };

  Step decide(Reason reason);
  Step decide_for_frames();
  Step await_device();
  void derive_unknown();
  void begin_verifying();
  Experiment look_at(const Configuration& configuration, double slow_fps = 0);
  Look* look();
  void end_look();
  std::optional<Step> look_over(Look& look);
  void go_on_verifying(Verifying& at, const Observation& seen);
  bool derive_from_drift();
  bool run_slower(const Slowdown& by, const std::optional<Slowdown>& instead);
  void make_do_with(const Candidate& best);
  void end_slowness();
  void go_back();
  void look_at_what_ran_before();
  void go_on_returning(Returning at, const Observation& seen);
  void keep_former();
  Learnt* earlier(bool former);
  bool look_at_earlier(bool former, const Candidate& best_of_slow);
  void go_on_with_earlier(Earlier at, const Observation& seen);
  void adopt(bool former);
  void train_instead(Reason reason, const Candidate& best_of_slow);
  Step start_training(Reason reason, Candidate otherwise = {});
  Step go_on_training(Training& training);
  std::optional<Plan> look_at_otherwise(Training& training, const Choice& choice,
                                        const Findings& findings) const;
  Step finish_training(const Training& training, const Choice& choice);
  bool tell_others(Learnt& learnt, bool has_choice);
  void follow(const FrameTimes& times);
  void abandon_training();
  int under_way(bool trials) const;
  Experiment experiment_of(const Plan& plan, const Chain& chain) const;
  void settle(Reason reason, const Candidate& chosen, const Choice& choice, Decision decision = {});
  void remember(Learnt& learnt, const Candidate& chosen) const;
  const Candidate& pick(Learnt& learnt, const Choice& choice) const;
  Choice choose(const Learnt& learnt) const;
  void forget_device(Learnt& learnt) const;
  bool lacks_energy(const Learnt& learnt) const;
  /// Configurations that the rules and the share of the machine leave open.
  Constraints allowed() const;
  std::optional<Step> look_at_neighbours();
  bool take_share();
  void abandon_for_neighbours();
  void ask_neighbours();
  bool take_turn();
  void end_turn();
  Learnt* find();
  void run(const Configuration& configuration);
  void watch(const FrameTimes& times, uint32_t device_stages);
  void begin_balance();
  bool keep_balance(const FrameTimes& times);

  Chain chain_;
  const std::shared_ptr<Knowledge> knowledge_;
  const ReadProbe read_probe_;
  AdaptRules rules_;
  Objective objective_;

  Step running_;
  Prediction predicted_;
  double expected_loss_ = kUnknown;
  std::optional<Conditions> conditions_;  // with this bin's part of the cores; none before frames
  const Neighbours neighbours_;
  uint64_t seen_epoch_ = 0;      // of the neighbours
  int cores_ = 1, at_work_ = 1;  // of the machine: this bin's part, and with how many it shares
  bool another_trains_ = false;
  bool device_lost_ = false;
  bool leaves_cores_ = false;  // cores are left to those who open the device until a choice
  uint64_t told_ns_ = 0;       // the last frame when the stream ended and that was told
  State state_;
  std::optional<Following> following_;
  std::optional<Slower> slower_;  // has precedence over the knowledge of these frames
  std::optional<Former> former_;
  std::optional<Reason> wanted_;  // why to train as soon as that is allowed

  Configuration settled_on_;  // the latest that was decided
  Measured measured_before_;  // of that, when training took its place
  Steady steady_;
  Watch watch_;
  Balance balance_;  // of the running configuration
  Budget budget_;
  int decisions_ = 0, experiments_ = 0;
  Spent spent_;
};

}  // namespace tandem
