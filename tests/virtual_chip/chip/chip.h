// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/measurements.h"
#include "scheduler/flow/intervals.h"
#include "scheduler/flow/stage_path.h"

namespace tandem::test {

/// A heterogeneous chip with an application on it, as the simulation and the virtual stages obey
/// it: nothing here is known to what is tested.
struct Chip {
  struct Stage {
    double core_s = 0;    ///< a frame on one core, when no other frame is computed on the cores
    double medium_s = 0;  ///< a frame over all cores
    double device_s = 0;  ///< a frame on the device, without transfers
    double upload_s = 0, download_s = 0;  ///< of its inputs, of its outputs
    bool serial = false;                  ///< frames pass one at a time
    bool has_device = true;               ///< `device_s` means something
    bool has_cpu = true;                  ///< `core_s` and `medium_s` do
    bool can_split = false;               ///< both sides can compute a part of its rows
  };

  /// Watts of one domain.
  struct Power {
    double idle_w = 0;
    double cores_w = 0;   ///< more when all cores compute; fewer take their share of it
    double device_w = 0;  ///< more when the device computes
    double medium_w = 0;  ///< more when all cores compute one frame: they wait for each other
    /// More when several frames are on the device, whose units wait less: half of `lanes_w` with
    /// two frames, three quarters with four.
    double lanes_w = 0;
  };

  /// Devices of another kind, with a letter of their own; their power is that of the first kind.
  struct Kind {
    int devices = 1;
    std::vector<double> device_s;  ///< a frame in each stage, as Stage::device_s
    double transfers = 1;          ///< how many times longer these take than to the first kind
  };

  /// Threads of another program that compute for a while, at moments of their own seeded random.
  struct Bursts {
    double every_s = 0;  ///< mean of the exponentially distributed pauses; 0: there are none
    double lasts_s = 0;
    int threads = 0;
  };

  std::string name;
  int cores = 1;
  std::vector<Stage> stages;
  /// How many times longer a frame takes when n frames are computed on the cores, at [n - 1],
  /// n = 1 ... nC + 1.
  std::vector<double> slowdown;
  /// Standard deviation of a stage's time, relative; each is drawn from a log-normal distribution.
  double noise = 0;
  /// Standard deviation, relative, of what slows all down together, and how long it takes to become
  /// something else: a machine that somebody else uses too, or whose clocks and memory change.
  double drift = 0, drift_lasts_s = 0.25;
  Bursts bursts;
  int window = 128;                        ///< most frames in flight
  Repeat repeat;                           ///< stages that a frame passes several times
  std::vector<Intervals::Rule> intervals;  ///< one a stage; empty: each stage computes each frame
  double sink_s = 0;                       ///< that the sink takes for a frame
  /// What a frame uploads goes to the device while it waits to begin.
  bool prefetches = false;
  int devices = 1;  ///< of the first kind; their power is that of one
  std::vector<Kind> further = {};
  /// A frame takes so much longer on the device, relative, for each core that computes frames, and
  /// for each of those that feed the device and compute frames instead.
  double crowding = 0;
  int feeding_cores = 0;
  double starved = 0;
  /// And so much longer for each further lane, relative, while all cores compute frames: what lanes
  /// gain alone they do not gain then.
  double lanes_crowding = 0;
  /// Seconds that a run waits on the device for each of its stages, before its copies begin. Runs
  /// of other lanes go on meanwhile.
  double launch_s = 0;
  /// Threads on the cores that compute what is on the device: 0 if it has a processor of its own,
  /// nC for PoCL. `crowding` is then 1 / nC, as both sides get their share of the cores.
  int device_threads = 0;

  /// What each side takes for a run of split stages beside its rows.
  double split_cores_s = 0, split_device_s = 0;
  /// What waking the cores takes, up to kAllAwake of the rows in proportion to them; how much
  /// longer both sides take while the other one works, relative; and what a frame takes before and
  /// after.
  double split_waking_s = 0, split_contention = 0, split_joins_s = 0;
  static constexpr double kAllAwake = 0.1;

  Power c, g, u;
  /// Between new values of the energy counter, and between the moments at which it is looked at.
  double meter_resolution_s = 1e-3, meter_pause_s = 0;

  int kind_of(int device) const;               ///< 0: the first
  int all_devices() const;                     ///< of all kinds
  double device_s(int kind, int stage) const;  ///< as Stage::device_s
  double transfers(int kind) const;            ///< as Kind::transfers

  bool discrete() const;
  uint32_t device_capable() const;  ///< bit k: stage k
  uint32_t device_only() const;     ///< likewise
  uint32_t can_split() const;       ///< likewise
  /// Numbers of lanes that may differ: several where copies take time beside the kernels.
  std::span<const int> lanes() const;
  /// What a stage takes of a frame over a part of the cores, with so many frames at a time.
  double medium_stage_s(const Stage& stage, int frames_at_once) const;
  /// What one frame takes with n frames at a time on the cores.
  double core_frame_s(int n) const;
  /// How many times longer a frame takes on the device beside so many on the cores.
  double device_slowdown(int on_cores) const;
  double lanes_slowdown(int on_cores, int lanes) const;  ///< of copies too
};

/// Who computes.
struct Load {
  int on_cores = 0;   ///< frames, each on one core
  double medium = 0;  ///< the part of all cores that compute frames over several of them
  int on_device = 0;  ///< frames
};

/// In C and G the sides add up; in U the one with the higher load counts, as Vilches observed
/// (section IV).
struct Watts {
  double c = 0, g = 0, u = 0;
  double sum() const { return c + g + u; }
};
Watts power_w(const Chip& chip, const Load& load);

/// Bounds of what random_chip() draws.
struct ChipRanges {
  int least_cores = 1, most_cores = 8;
  int least_stages = 1, most_stages = 6;
  double least_frame_s = 1e-3, most_frame_s = 8e-3;  ///< of a frame on one core
  double discrete = 0.4;                             ///< part of the chips that are
  /// Speed of the whole device by that of one core; discrete devices have a greater bound.
  double least_speedup = 0.3, most_speedup = 8, most_discrete_speedup = 30;
  double least_parallel = 0.5;    ///< gain of medium grain by each further core
  double most_contention = 0.15;  ///< by which each further busy core slows all down
};

/// A chip of seeded random, integrated or discrete, quiet or noisy.
Chip random_chip(unsigned seed, const ChipRanges& ranges = {});

/// The same chip without what disturbs it at times: bursts and drift.
Chip undisturbed(Chip chip);

/// The same chip with a device of another kind beside the first one: one that is as fast as that,
/// half as good or no help at all, and better at some stages than at others.
Chip with_other_kind(Chip chip, unsigned seed);

/// The same chip with stages that can be split, all or most of them.
Chip with_split(Chip chip, unsigned seed);

/// The same chip with stages that leave frames out: all of them the same ones, or some of them,
/// with intervals of 2 to 10.
Chip with_intervals(Chip chip, unsigned seed);

/// The same chip whose split frames take what neither side takes alone.
Chip with_costs_of_both_sides(Chip chip, unsigned seed);

/// 16 cores beside a device as fast as several hundred of them, which needs lanes and some of the
/// cores: applications on an H200, or an H100 in a virtual machine whose speed drifts, from
/// trainings there.
struct LargeDevice {
  Chip vivid_small;  ///< 600x416: a frame takes 9 ms on a core
  Chip vivid;        ///< 1920x1080: 60 ms
  Chip tracking;     ///< 1920x1080: 23 ms; the last stage is serial and of the cores alone
  Chip srad;         ///< 458x502: 0.7 ms, and all that lanes gain is lost beside busy cores
  Chip scene;  ///< 1920x1080: 440 ms; the second stage is of the cores alone, and half of that
  Chip crowded_srad;  ///< H100, 458x502: beside more than 13 computing cores the device starves
  Chip scene_small;   ///< H100, 256x256: 15 ms; the second stage is of the cores alone, and more
};
LargeDevice large_device_chips();

/// What a perfect training would measure: every mean, without noise.
Measurements perfect_measurements(const Chip& chip);

}  // namespace tandem::test
