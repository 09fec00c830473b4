// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "scheduler/flow/stage.h"

namespace tandem {

/// A stage of cores alone, to whose frames nothing happens but compute().
class CoresStage : public Stage {
 public:
  std::string name() const override { return "cores"; }
  bool has_device(int) const override { return false; }
  Status prepare(Item&) override { return {}; }
  Status begin(Item&) override { return {}; }
  Status enqueue(Item&, bool) override { return {}; }
  Status enqueue_copy(Item&, bool) override { return {}; }
  Status finish(Item&, bool) override { return {}; }
};

}  // namespace tandem
