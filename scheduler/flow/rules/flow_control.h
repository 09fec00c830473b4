// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "scheduler/flow/item.h"
#include "scheduler/flow/rules/current_configuration.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/rules/frame_ring.h"
#include "scheduler/flow/rules/wakeups.h"

namespace tandem {

/// Flow control: when a frame may come in, and when the source and the sink are woken.
///
/// | bound | frames |
/// | --- | --- |
/// | waiting to begin | one a worker and one more for each lane, and a batch where they are short |
/// | ... where stages leave frames out | a period of frames in place of each |
/// | in flight | window() |
/// | waiting for the sink alone | a quarter of the window; else a slow sink would have all of it |
///
/// Frames that take microseconds are handed over in batches, because a sleep and a wake-up of a
/// thread take as long as the computation of such a frame.
class FlowControl {
 public:
  FlowControl(FrameRing& frames, const CurrentConfiguration& configuration, Wakeups& wakeups,
              int cores);

  void set_window(int items);
  int window() const { return window_; }
  void set_period(int frames);

  bool has_space() { return has_space(0); }
  /// Whether so many frames wait for the sink alone that no further one may come in.
  bool waits_for_the_sink();
  /// The source found no space: the frames that begin next have others behind them.
  void source_waits();
  bool has_waiting_source() const { return source_waits_; }
  /// Whether the waiting source should be woken: there is space, or it waits for the sink
  /// instead of the stages, or the reverse.
  bool source_should_wake();
  void let_in(Item* item, uint64_t held_ns, uint64_t now_ns);
  Item* take_back();

  /// A frame is done. The sink is woken, or holds_back() is true.
  void done(const FrameEntry& entry);
  /// Frames are held back, so that the sink is woken for several at once. The caller wakes it as
  /// soon as no other frame can begin.
  bool holds_back() const { return held_back_ > 0; }
  void wake_sink();
  /// The sink is awake and takes the frames that were held back too.
  void sink_takes() { held_back_ = 0; }
  /// A device or another configuration: batches end until service times are known again.
  void forget_batches() {
    service_ns_ = 0;
    batch_ = 0;
  }

 private:
  bool has_space(int besides);
  int most_waiting() const;
  void learn_batch(uint64_t took_ns);

  FrameRing& frames_;
  const CurrentConfiguration& configuration_;
  Wakeups& wakeups_;
  const int cores_;
  int window_;
  int period_ = 1;
  uint64_t service_ns_ = 0;  ///< average of the latest frames; 0: unknown
  int batch_ = 0;            ///< frames that are handed over together; 0: each by itself
  bool source_waits_ = false, source_waits_for_the_sink_ = false;
  int held_back_ = 0;  ///< done frames that the sink has not been woken for
};

}  // namespace tandem
