// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/estimator.h"
#include "scheduler/frame_times.h"
#include "scheduler/learn/keep/derived.h"

namespace tandem {

/// The watch over the times of stages: reports a lasting change of them, or that the source begins
/// to keep the threads busy. A source that does not makes frames faster, which is no drift.
class Watch {
 public:
  enum class News {
    none,
    busy,   ///< the source has kept the threads busy for a while
    drift,  ///< frames take longer or shorter than they used to, and not for a moment
  };

  /// Takes a frame of the running configuration; `device_stages`: those that a device computed. A
  /// steady stream allocates nothing here.
  News frame_done(const FrameTimes& times, uint32_t device_stages);

  /// The change after News::drift, by the latest frames; 1 where it is unknown.
  Slowdown change() const;

  /// Another configuration runs, or something else that changes service times has happened.
  void begin_anew() { paths_.clear(); }
  /// Frames of another kind come, perhaps from another source.
  void frames_changed() { busy_frames_ = 0; }

 private:
  // Times of frames on one side, where the same stages are on the device: a frame of the device is
  // no slow frame of the CPU.
  struct Side {
    /// The mean time of frames, and that from one to the next.
    struct Sample {
      double took_s = 0, apart_s = 0;
    };

    /// One, once enough frames have passed.
    std::optional<Sample> sample(uint64_t began_ns, uint64_t took_ns);
    News frame_done(uint64_t began_ns, uint64_t took_ns);

    int seen = 0;       ///< frames, of the first ones
    double took_s = 0;  ///< by the frames of the sample under way
    int frames = 0;     ///< of it
    uint64_t sample_began_ns = 0;
    std::vector<Sample> first_samples;
    Sample usual;
    std::optional<DriftDetector> drift;
    std::vector<Sample> latest;
    double ratio() const;  ///< of these times, to the usual one; 1 while there are too few
  };

  struct Path {
    Side cores, device;
    bool has_lanes = false;
    /// Whether frames take another time on the device because others are in its lanes: more or
    /// fewer of them, as the source brings them or the cores take them over.
    bool lanes_tell() const;
  };

  // By their device stages and by those that left them out.
  std::map<std::pair<uint32_t, uint32_t>, Path> paths_;
  int busy_frames_ = 0;  // in a row that found others behind them
};

}  // namespace tandem
