// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <string>

#include "scheduler/learn/run/decision.h"

namespace tandem::bin {

/// Posts decisions as messages, with a warning if no configuration meets the objective: one of each
/// kind until the objective changes. For any thread. Called with no lock held, because message
/// handlers may set properties.
class DecisionMessages {
 public:
  /// `bin` is the source of messages.
  explicit DecisionMessages(GstElement* bin) : bin_(bin) {}

  /// `missing_energy`: EnergySource::missing.
  void post(const Decision& decision, const std::string& missing_energy);
  void objective_changes() {
    warned_energy_ = warned_target_ = warned_budget_ = warned_late_ = false;
  }

 private:
  void warn(const Decision& decision, const std::string& missing_energy);

  GstElement* const bin_;
  std::atomic<bool> warned_energy_{false}, warned_target_{false}, warned_budget_{false},
      warned_late_{false};
};

}  // namespace tandem::bin
