// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "scheduler/learn/run/controller.h"
#include "tests/scheduler/learn/paper_chip.h"

namespace tandem {

/// A controller of its own for each test, with every decision that it told.
class ControllerTest : public testing::Test {
 protected:
  Controller make(const PaperChip& chip, int stages, int cores, AdaptRules rules = {}) {
    Chain chain;
    chain.stages = stages;
    chain.cores = cores;
    chain.device_capable = (1u << stages) - 1;
    Controller controller(chain, std::make_shared<Knowledge>(), [&chip] { return chip.probe(); });
    controller.set_rules(rules);
    controller.decided = [this](const Decision& decision) { decisions_.push_back(decision); };
    return controller;
  }

  /// Lets frames flow until a decision is made; returns how many that took.
  int run_to_decision(Controller& controller, PaperChip& chip, Step& step, int most) {
    const std::size_t before = decisions_.size();
    for (int frame = 1; frame <= most; ++frame) {
      if (const auto next = next_frame(controller, chip, step)) step = *next;
      if (decisions_.size() > before) return frame;
    }
    return -1;
  }

  std::vector<Decision> decisions_;
};

}  // namespace tandem
