// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

#include <vector>

#include "scheduler/flow/way.h"

namespace tandem {

/// Which stages of a chain can be repeated.
class ChainRepeat {
 public:
  /// Of stages whose settings are in use. Throws std::runtime_error that says what to do when
  /// rounds() asks for what cannot be.
  explicit ChainRepeat(const std::vector<GstTandemStage*>& stages);

  /// As rounds() of the settings in use says.
  Repeat now() const;

 private:
  struct Part {
    GstTandemStage* stage;  // the last; kept alive by who has the chain
    Repeat repeat;
  };
  std::vector<Part> parts_;
};

}  // namespace tandem
