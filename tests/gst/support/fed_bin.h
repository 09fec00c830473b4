// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/gst/support/grey_frames.h"

namespace tandem {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Stats {
  std::string configuration;
  guint64 frames = 0;
  guint64 page_locked = 0;  ///< frames that came in memory of the bin
  int trainings = 0, training_frames = 0, training_experiments = 0;
  double training_s = 0, penalty_s = 0;
  bool training = false;
  bool predicted = false;     ///< something is known of what runs
  double latency_p95_ms = 0;  ///< of that, since it was decided; 0: unknown
};

/// A decision that the bin told.
struct Told {
  double at_s = 0;        ///< since the bin was made
  guint64 delivered = 0;  ///< frames that had left by then
  std::string reason, before, after;
  double predicted_fps = 0;  ///< 0: unknown
  int experiments = 0, trials = 0, training_frames = 0;
  double training_s = 0, penalty_s = 0;
  bool energy_unknown = false;
  std::string spent;  ///< "device 7: 1.05 s, 4210 frames; ...": where the training's time went
};

/// What is known of a configuration: how fast it is, and how soon it answers.
struct Rate {
  std::string configuration;
  double fps = 0;
  double latency_ms = 0;  ///< the 95th percentile; 0: unknown
};

/// "gcc/cg3", "ggg/cg1/q4" or "auto".
void force_configuration(GstElement* bin, const std::string& configuration);

/// appsrc ! tandembin ! fakesink, playing and always fed: with buffers of the pool that the bin
/// offers, or of one like a source's own. Nobody else holds them, so that stages which write pixels
/// write to these.
class FedBin {
 public:
  struct Options {
    std::string device = "auto";
    int cores = 0;
    double max_overhead = 0.05;
    /// As the bin's: what earlier runs left behind is no part of a bench that does not ask for it.
    std::string knowledge = "off";
    std::string metric = "throughput", energy_source = "auto";
  };

  /// Throws std::runtime_error when there is no such pipeline.
  FedBin(const Options& options, const std::string& stages, const char* adapt);
  ~FedBin();
  FedBin(const FedBin&) = delete;
  FedBin& operator=(const FedBin&) = delete;

  void set(const char* property, const char* value);
  void force(const std::string& configuration);
  void begin(Size size);
  /// One buffer. `frames` are what its pool's are filled with, one after the other.
  void feed(const std::vector<GstBuffer*>& frames);
  /// Called in feed() after the bin has asked upstream to negotiate anew: it may offer other
  /// memory.
  std::function<void()> reconfigured;
  /// After begin(): feed() takes buffers of the pool that the bin offers upstream. False where it
  /// offers none: then of one of its own.
  bool use_offered_pool();
  Stats stats() const;
  /// All decisions so far.
  std::vector<Told> decisions() const;
  /// Since the bin was made.
  double now_s() const { return seconds_since(made_); }
  /// What the model expects of every configuration, the fastest first; empty: nothing is known.
  std::vector<Rate> predictions() const;
  int cores() const;
  /// How long devices have computed stages so far, us.
  double device_us() const;
  /// Buffers that left the bin.
  guint64 delivered() const { return delivered_; }
  /// When the first of them did, since the bin was made; 0: none has.
  double first_s() const { return first_s_; }
  /// From now on, when each buffer leaves is kept; what was kept is forgotten.
  void keep_departures();
  /// Seconds since the bin was made.
  std::vector<double> departures_s() const;
  /// Feeds until so many have left, or for `most_s`. Returns the rate from `first` on, 0 when that
  /// did not come.
  double rate_between(const std::vector<GstBuffer*>& frames, guint64 first, guint64 last,
                      double most_s);
  /// Feeds for so long; returns frames finished a second.
  double run(const std::vector<GstBuffer*>& frames, double seconds);
  /// Returns whether a training ended within `most_s`.
  bool run_until_decided(const std::vector<GstBuffer*>& frames, double most_s = 300);

 private:
  static GstBusSyncReply hear(GstBus* bus, GstMessage* message, gpointer self);
  static GstPadProbeReturn count(GstPad* pad, GstPadProbeInfo* info, gpointer self);
  static GstPadProbeReturn hear_event(GstPad* pad, GstPadProbeInfo* info, gpointer self);
  void use(GstBufferPool* pool);

  GstElement* pipeline_;
  GstAppSrc* source_;
  GstElement* bin_;
  GstBufferPool* pool_ = nullptr;
  std::size_t next_ = 0;
  std::atomic<bool> asked_anew_{false};
  std::atomic<guint64> delivered_{0}, mark_{0};
  // When the marked frame left, and the first and the last one.
  std::atomic<double> mark_s_{0}, first_s_{0}, last_s_{0};
  Clock::time_point made_ = Clock::now();
  std::atomic<bool> keeps_departures_{false};
  mutable std::mutex mutex_;
  std::vector<Told> told_;
  std::vector<double> departures_s_;
};

}  // namespace tandem
