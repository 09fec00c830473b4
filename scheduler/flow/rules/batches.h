// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

namespace tandem {

/// How many frames are handed over together. Frames that take microseconds travel in batches,
/// because a thread takes as long to fall asleep and wake up as such a frame to be computed.
class Batches {
 public:
  /// Frames of a batch; 0: each frame is handed over by itself.
  int size() const { return size_; }
  /// The cores alone computed a frame in `took_ns`; `window` frames may be in flight.
  void learn(uint64_t took_ns, int window);
  /// A device or another configuration: batches end until service times are known again.
  void forget();

 private:
  uint64_t service_ns_ = 0;  ///< average of the latest frames; 0: unknown
  int size_ = 0;
};

}  // namespace tandem
