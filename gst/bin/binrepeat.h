// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "gst/stage/stage.h"
#include "scheduler/flow/way.h"

namespace tandem {

/// The value of the stage's property `iterations`; 1 for stages that repeat nothing.
int iterations_of(GstTandemStage* stage);

/// Which stages of a chain can be repeated.
class ChainRepeat {
 public:
  /// Throws std::runtime_error that says what to do when `iterations` asks for what cannot be.
  explicit ChainRepeat(const std::vector<GstTandemStage*>& stages);

  /// As `iterations` says now; it may change while PLAYING.
  Repeat now() const;

 private:
  struct Part {
    GstTandemStage* stage;  // the last; kept alive by who has the chain
    Repeat repeat;
  };
  std::vector<Part> parts_;
};

}  // namespace tandem
