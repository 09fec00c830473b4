// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/estimator.h"
#include "scheduler/frame_times.h"

namespace tandem {

/// The watch over service times: tells when they leave for good what they were, or when the source
/// begins to keep the threads busy. A source that does not makes frames faster, which is no drift.
class Watch {
 public:
  enum class News {
    none,
    busy,   ///< the source has kept the threads busy for a while
    drift,  ///< frames take longer or shorter than they used to, and not for a moment
  };

  /// Takes a frame of what runs; `device_stages`: those that a device computed. A steady stream
  /// allocates nothing here.
  News frame_done(const FrameTimes& times, uint32_t device_stages);

  /// Another configuration runs, or something else that changes service times has happened.
  void begin_anew() { paths_.clear(); }
  /// Frames of another kind come, perhaps from another source.
  void frames_changed() { busy_frames_ = 0; }

 private:
  // One detector a path: a frame of the device is no slow frame of the CPU.
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
