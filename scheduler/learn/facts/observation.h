// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <vector>

#include "model/busy.h"
#include "model/measurements.h"
#include "scheduler/learn/facts/chain.h"

namespace tandem {

/// A fact: measurements of frames in a stretch of the stream, under one configuration. interpret()
/// gives it a meaning. Seconds and watts are means over the frames that were counted, and unknown
/// where they could not be measured.
struct Observation {
  enum class Kind {
    stages,      ///< a device's stages were waited for one by one: where its time goes
    experiment,  ///< one of those that the model is made of (Vilches, section III-A)
    beside,      ///< what cores do beside the device at work: times are of their frames
    glance,      ///< any configuration, shortly: threads that begin together keep their rhythm for
                 ///< a while, which is not the one that lasts
    look,        ///< any configuration, at length
  };
  struct StageTimes {
    double seconds = kUnknown;
    double upload_s = kUnknown, download_s = kUnknown;  ///< copying its outputs
  };

  Configuration configuration;
  Kind kind = Kind::experiment;
  double lasted_s = 0;        ///< from the first of the frames, those that did not count included
  int frames = 0;             ///< that were counted
  int starved_frames = 0;     ///< of these, those whose threads waited for the source
  bool in_vain = false;       ///< the device left all of them to the CPU
  bool spaced = false;        ///< each began when the one before it had left
  double frame_s = kUnknown;  ///< from one frame to the next: 1 / throughput
  double device_frame_s = kUnknown;  ///< of `beside`: from one frame of the device to the next
  double service_s = kUnknown;       ///< a frame from begin to end, without waiting for its turn
  double latency_s = kUnknown;       ///< the 95th percentile of FrameTimes::latency_ns
  double cores_s = kUnknown;         ///< of that, stages that the CPU computed
  /// Times of split stages, from their begin until each side was done with its rows.
  double split_cores_s = kUnknown, split_device_s = kUnknown;
  double cpu_s = kUnknown;         ///< processor time of this bin's threads, a frame
  std::vector<StageTimes> stages;  ///< where they were measured
  Busy busy;                       ///< in a second, on average
  Energy watts;                    ///< of each domain
  double relative_error = 0;       ///< of the worst of these estimates
};

/// The observations of one training, in order, and their chain. Only ever appended to.
struct Facts {
  Chain chain;
  std::vector<Observation> observations;
};

/// Whether it is a short run of any configuration, not an experiment that the model needs.
inline bool is_trial(Observation::Kind kind) {
  return kind == Observation::Kind::glance || kind == Observation::Kind::look;
}

/// A look lasts so long.
inline constexpr double kLook_s = 0.5;

/// Whether it lasted as long as a look.
inline bool tells_at_length(const Observation& seen) {
  return seen.kind == Observation::Kind::look || seen.frames * seen.frame_s >= kLook_s;
}

/// Whether there is never more than one frame under way, with so many devices.
inline bool one_frame_at_a_time(const Configuration& configuration, int devices) {
  const bool medium = configuration.granularity == Granularity::medium;
  if (medium)
    return configuration.frames_at_once == 1 && configuration.mapping.device_stages() == 0;
  const int on_device = configuration.mapping.any_device() ? devices * configuration.lanes : 1;
  return configuration.threads == 1 && on_device == 1;
}

/// Where frames take longer, each experiment, trial and look is dear.
inline constexpr double kCheap_s = 0.1;

/// A frame that takes a core so long holds up those of a fast device behind it. A measurement that
/// is too slow may hold up the stream for as long.
inline constexpr double kHoldsUp_s = 0.05;

/// A rest runs a known configuration again for a moment: fewer frames than this tell nothing new.
inline constexpr int kTellingFrames = 16;

/// Whether stages that were waited for one by one tell what whole frames take on the device: these
/// are so long that the waits are lost in them.
inline bool tells_whole_frames(const Observation& seen) {
  return seen.kind == Observation::Kind::stages && !seen.in_vain && seen.frame_s > kCheap_s &&
         one_frame_at_a_time(seen.configuration, 1);
}

/// How many cores compute frames of their own beside so many devices.
inline int cores_beside(const Configuration& configuration, int devices) {
  const bool apart =
      configuration.mapping.any_device() && configuration.granularity == Granularity::coarse;
  return apart ? std::max(0, configuration.threads - devices) : 0;
}

}  // namespace tandem
