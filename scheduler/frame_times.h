// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>

#include "model/configuration.h"

namespace tandem {

/// Times of a frame, the input of training and of drift detection.
struct FrameTimes {
  Configuration configuration;  ///< under which it was begun
  uint64_t begin_ns = 0;        ///< steady clock, when a worker thread took it
  uint64_t end_ns = 0;          ///< when its last stage was done
  /// When it could leave: it and all frames before it were done, and the thread that takes frames,
  /// if it waited for this one, was awake.
  uint64_t ready_ns = 0;
  uint64_t came_ns = 0;    ///< to the sink pad, before it waited for anything
  uint64_t let_in_ns = 0;  ///< into the queue of frames that wait to begin
  /// From when a thread waited for nothing but this frame until that was awake and took it.
  uint64_t waking_ns = 0;
  /// Time of each stage with all its rounds, on any side.
  std::array<uint64_t, kMaxStages> stage_ns{};
  /// Copying the outputs of each stage between device and host, when stages were timed apart.
  std::array<uint64_t, kMaxStages> download_ns{}, upload_ns{};
  /// Times of the cores and of the device for split stages: from the begin of a run until the side
  /// was done with its rows, copies included. Sums over the runs of a frame.
  uint64_t split_cores_ns = 0, split_device_ns = 0;
  uint64_t waited_ns = 0;     ///< for its turn at serial stages
  uint64_t held_ns = 0;       ///< before it was let in: for a sink slower than the stages
  uint64_t passed_by = 0;     ///< frames that began after it and before end_ns
  uint32_t left_out = 0;      ///< bit k: stage k left it out
  bool stages_apart = false;  ///< device stages were waited for one by one
  bool spaced = false;        ///< it began when the one before it had left, as if it came then
  /// Its thread waited for it for a tenth of a frame's time or longer, and no frame was behind it
  /// when it began. The source does not keep the threads busy.
  bool starved = false;

  /// Its time without waits for its turn.
  uint64_t service_ns() const { return end_ns - begin_ns - waited_ns; }
  /// Latency from the sink pad to the source pad, without waits that the configuration does not
  /// cause. Such waits are those behind earlier frames of a source that is faster than the stages,
  /// and for a sink that is slower.
  uint64_t latency_ns() const { return ready_ns > begin_ns ? ready_ns - begin_ns + waking_ns : 0; }
  /// The wait behind earlier frames.
  uint64_t waited_to_begin_ns() const { return begin_ns > came_ns ? begin_ns - came_ns : 0; }
};

}  // namespace tandem
