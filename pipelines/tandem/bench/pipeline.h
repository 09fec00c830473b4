// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/app/gstappsrc.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/tandem/bench/report.h"
#include "pipelines/tandem/input/source.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {

/// Frames in memory, so that decoding and scaling are not measured.
struct FrameStore {
  std::vector<BufferRef> frames;
  CapsRef caps;
};

/// Up to `most` frames of `size`: the first of the video at `uri`, or a moving pattern when it is
/// empty. Keeps no more than 256 MiB. Throws Failure.
FrameStore load_frames(const std::string& uri, Size size, int most);

/// tandembin between a feeder and a counter, playing.
class BenchPipeline {
 public:
  /// Throws Failure. `frames` outlives this object.
  BenchPipeline(const FrameStore& frames, const BinSettings& settings);

  /// The choice and the predictions of tandembin when it trains on these frames.
  struct Trained {
    std::string metric;
    std::string chosen;
    Performance predicted;  ///< of that, corrected by trials
    std::map<std::string, Performance> predictions;
    int experiments = 0, frames = 0;
    double seconds = 0;
    std::optional<int> trials;            ///< none: the bin reported no decision
    std::vector<BenchRanked> ranking;     ///< the best at the end, by the measurements so far
    std::optional<double> expected_loss;  ///< as in the decision
  };
  /// Makes it train for a metric. Throws Failure and UsageError.
  Trained train(const std::string& metric);

  /// Runs `configuration` with the bin always full. After a warm-up, it takes at least `frames`
  /// frames and `least_seconds`. Appends the rate at which frames were finished, and the energy and
  /// the latency of a frame. Without `cpu_fallback`, device stages wait for the device. Throws
  /// Failure.
  void measure(int frames, double least_seconds, BenchMeasurement& measurement,
               bool cpu_fallback = true);

  int cores() const { return cores_; }
  int stages() const { return stages_; }
  bool can_split(int stage) const { return can_split_[static_cast<std::size_t>(stage)]; }
  std::string energy_source() const { return read_stats(bin_).energy_source; }

 private:
  using Clock = std::chrono::steady_clock;
  void configure(const BenchConfiguration& configuration);
  void feed_one();
  void wait_until_empty();
  void check_bus();
  void take_decision(const GstStructure* decision);

  const FrameStore& frames_;
  const int lanes_;  ///< among which training chooses; 0: all

  std::mutex mutex_;  // guards what follows, against the streaming thread
  std::condition_variable came_out_;
  uint64_t out_ = 0;

  Pipeline pipeline_;  // after what its threads use, so that they stop first
  GstElement* source_ = nullptr;
  GstElement* bin_ = nullptr;
  ObjectRef<GstBus> bus_;
  uint64_t in_ = 0;
  std::optional<int> trials_;  // of the latest decision that a training led to
  std::vector<BenchRanked> ranking_;
  std::optional<double> expected_loss_;
  int cores_ = 0, stages_ = 0;
  std::vector<bool> can_split_;  // of each stage
};

}  // namespace tandem
