// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/network/network.h"
#include "kernels/util/shared_rows.h"
#include "kernels/util/stop.h"

namespace tandem::network {

/// How layers are divided among the threads that share a frame.
struct Sharing {
  int threads = 0;  ///< for which layers are divided; 0: the cores of this machine
  /// Least multiplications with an addition of a part: about 10 us of a core. To hand on a part
  /// takes 1 us or less.
  int64_t least_work = 500'000;
};

/// A network on the cores: each frame on the threads that call, so that the bin decides how many
/// compute. All threads share the weights.
class NetworkCpu {
 public:
  class Frame;

  /// Prepares weights and code for this machine. Throws std::runtime_error that names the step.
  explicit NetworkCpu(std::shared_ptr<const Network> network, Sharing sharing = {});
  ~NetworkCpu();

  /// Bytes of memory that a frame takes while it is computed, and the most that live at one step.
  std::size_t memory_bytes() const;
  std::size_t largest_live_set() const;

  /// Computes one frame. Inputs and outputs are in the order of the network's, 64-byte aligned;
  /// `memory` has memory_bytes(), 64-byte aligned. Asks `stop` between steps. Returns whether it
  /// computed all. Thread-safe. With `times_ns`, adds the time of each step to one element a step.
  bool run(std::span<const float* const> inputs, std::span<float* const> outputs, void* memory,
           Stop stop, std::vector<uint64_t>* times_ns = nullptr) const;

  /// Computes a frame together with all threads that call this for it, which may come at any time.
  /// One alone computes all. Returns when nothing is left to help with: others may be at work yet.
  /// An exception of one ends it for all.
  void share(Frame& frame, std::span<const float* const> inputs, std::span<float* const> outputs,
             void* memory, Stop stop) const noexcept;
  /// Once all have returned: whether they computed all of it.
  bool is_done(const Frame& frame) const;

 private:
  struct Private;
  class Execution;
  class Guest;
  struct Work;
  std::unique_ptr<Private> self_;
};

/// State that the threads of one frame share. One for each frame.
class NetworkCpu::Frame {
  friend NetworkCpu;
  SharedRows progress_;
  Execution* execution_ = nullptr;  // what it is computed with, while it is
  bool divided_ = false;            // whether its parts are computed at present
  // Written under the lock of the network:
  std::atomic<int> guests_{0};  // threads that compute it
  bool over_ = false;
};

}  // namespace tandem::network
