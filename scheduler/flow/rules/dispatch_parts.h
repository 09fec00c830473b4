// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <utility>
#include <vector>

#include "scheduler/flow/rules/core_parts.h"
#include "scheduler/flow/rules/current_configuration.h"
#include "scheduler/flow/rules/device_letters.h"
#include "scheduler/flow/rules/frame_ring.h"
#include "scheduler/flow/rules/gates.h"
#include "scheduler/flow/rules/lane_occupancy.h"
#include "scheduler/flow/rules/lane_queue.h"
#include "scheduler/flow/rules/ready_frames.h"
#include "scheduler/flow/rules/sent_frames.h"
#include "scheduler/flow/rules/stage_rules.h"
#include "scheduler/flow/rules/stage_runs.h"
#include "scheduler/flow/rules/wakes.h"

namespace tandem {

/// The state of Dispatch, each part after those that it refers to.
struct DispatchParts {
  DispatchParts(std::vector<StageRules> rules, int core_count, int most_frames, bool has_device)
      : stages(std::move(rules)),
        frames(most_frames),
        letters(stages, has_device),
        configuration(stages, core_count, letters),
        runs(stages, letters),
        lanes(letters),
        sent(letters, wakes),
        ready(stages.size() + kMaxDevices * kMaxLanes + core_count + 1, wakes),
        lane_queue({frames, letters, runs, lanes, ready}, core_count),
        gates(frames, ready),
        cores(wakes) {}
  DispatchParts(const DispatchParts&) = delete;
  DispatchParts& operator=(const DispatchParts&) = delete;

  const std::vector<StageRules> stages;
  Wakes wakes;
  FrameRing frames;
  DeviceLetters letters;
  CurrentConfiguration configuration;
  StageRuns runs;
  LaneOccupancy lanes;
  SentFrames sent;
  ReadyFrames ready;
  LaneQueue lane_queue;
  Gates gates;
  CoreParts cores;
};

}  // namespace tandem
