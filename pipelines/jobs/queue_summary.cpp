// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/queue_summary.h"

#include <algorithm>
#include <set>

namespace tandem {
namespace {

constexpr double kWindow_s = 60;

// The part of a job's frames that came in [begin, end], as if they had come evenly.
double frames_within(const JobRecord& record, double begin_s, double end_s) {
  if (record.seconds <= 0) return record.end_s >= begin_s ? static_cast<double>(record.frames) : 0;
  const double from_s = std::max(record.end_s - record.seconds, begin_s);
  const double to_s = std::min(record.end_s, end_s);
  return to_s > from_s ? static_cast<double>(record.frames) * (to_s - from_s) / record.seconds : 0;
}

double rate(const QueueState& state) {
  double begin_s = state.now_s, frames = 0;
  for (const auto* records : {&state.records.done, &state.running}) {
    for (const auto& [id, record] : *records) {
      if (record.frames > 0) begin_s = std::min(begin_s, record.end_s - record.seconds);
    }
  }
  begin_s = std::max(begin_s, state.now_s - kWindow_s);
  if (begin_s >= state.now_s) return 0;
  for (const auto* records : {&state.records.done, &state.running}) {
    for (const auto& [id, record] : *records) frames += frames_within(record, begin_s, state.now_s);
  }
  return frames / (state.now_s - begin_s);
}

}  // namespace

QueueSummary summarise(const QueueState& state) {
  QueueSummary summary;
  summary.frames_per_s = rate(state);
  const std::set<std::string> waiting(state.waiting.begin(), state.waiting.end());
  for (const Video& video : state.videos.videos) {
    VideoSummary one{video.number, video.analysis.uri, video.analysis.application};
    for (const Job& job : jobs_of(video)) {
      ++one.jobs;
      const auto done = state.records.done.find(job.id);
      const auto running = state.running.find(job.id);
      if (done != state.records.done.end()) {
        ++one.done;
        one.frames += done->second.frames;
      } else if (state.records.failed.contains(job.id)) {
        ++one.failed;
      } else if (running != state.running.end()) {
        ++one.running;
        one.frames += running->second.frames;
      } else if (waiting.contains(job.id)) {
        ++one.waiting;
      }
    }
    summary.videos.push_back(std::move(one));
  }
  return summary;
}

}  // namespace tandem
