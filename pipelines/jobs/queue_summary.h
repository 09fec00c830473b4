// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipelines/jobs/job_queue.h"

namespace tandem {

/// The state of a video, for `tandem jobs`.
struct VideoSummary {
  uint64_t number = 0;
  std::string uri, application;
  std::size_t jobs = 0, done = 0, running = 0, waiting = 0, failed = 0;
  uint64_t frames = 0;  ///< whose results are there
};

struct QueueSummary {
  std::vector<VideoSummary> videos;
  double frames_per_s = 0;  ///< of all workers, over the last minute
};

QueueSummary summarise(const QueueState& state);

/// For people and for programs. Neither holds a password that a video's URI may have.
std::string status_text(const QueueState& state, const QueueSummary& summary);
std::string status_json(const QueueState& state, const QueueSummary& summary);

}  // namespace tandem
