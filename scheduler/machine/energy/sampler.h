// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "files/file_handle.h"

namespace tandem {

/// Does a piece of work again and again on a thread of its own, so that the frame path never waits
/// for a driver or a server.
class Sampler {
 public:
  /// `work` gets a file descriptor that becomes readable when it should give up, and returns how
  /// long to wait until the next time.
  using Work = std::function<std::chrono::milliseconds(int stop_file)>;

  explicit Sampler(Work work);  ///< throws std::system_error
  ~Sampler();                   ///< waits for the work in hand
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

 private:
  void loop();

  Work work_;
  FileHandle stop_file_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tandem
