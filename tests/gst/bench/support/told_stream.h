// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tests/gst/support/bench_search.h"

namespace tandem {

/// A stream that is told what to run, for the process of an Aside.
class ToldStream {
 public:
  explicit ToldStream(FedBin::Options options) : options_(std::move(options)) {
    options_.knowledge = "off";
  }

  /// "begin vivid 600x416 ggg/cg1/q4", which returns when the rate is steady, "run 0.5", which
  /// returns frames a second of so many seconds after a fifth of them, and "end".
  std::string answer(const std::string& line);

 private:
  FedBin::Options options_;
  std::optional<Frames> frames_;
  std::optional<FedBin> bin_;
  std::optional<OfferedFrames> offered_;
};

}  // namespace tandem
