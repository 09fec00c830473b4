// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/queue_summary.h"

#include <algorithm>
#include <cinttypes>
#include <nlohmann/json.hpp>
#include <set>

#include "files/terminal_text.h"
#include "gst/publish/location.h"
#include "pipelines/formatted.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostUriShown = 2000, kMostReasonShown = 2000;  // bytes

// The jobs that a worker holds, such as "7.3 7.5"; "-": none.
std::string jobs_of_worker(const QueueState& state, const std::string& worker) {
  std::string ids;
  for (const auto& [id, record] : state.running) {
    if (record.worker == worker) ids += (ids.empty() ? "" : " ") + shown(id);
  }
  return ids.empty() ? "-" : ids;
}

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

std::string status_text(const QueueState& state, const QueueSummary& summary) {
  std::string text = formatted("%5s %6s %6s %7s %7s %6s %9s  %s\n", "video", "jobs", "done",
                               "running", "waiting", "failed", "frames", "");
  for (const VideoSummary& one : summary.videos) {
    text += formatted("%5" PRIu64 " %6zu %6zu %7zu %7zu %6zu %9" PRIu64 "  ", one.number, one.jobs,
                      one.done, one.running, one.waiting, one.failed, one.frames) +
            terminal_text(one.application) + " " +
            terminal_text(without_password(one.uri), kMostUriShown) + "\n";
  }
  text += formatted("\n%.1f frames/s; %" PRIu64 " videos gathered before; %" PRIu64
                    " entries of results wait to "
                    "be gathered; the server uses %.1f MiB\n",
                    summary.frames_per_s, state.videos_gathered, state.results_waiting,
                    static_cast<double>(state.memory_bytes) / (1 << 20));
  for (const WorkerState& worker : state.workers) {
    text += "worker " + terminal_text(worker.name) + ": " + jobs_of_worker(state, worker.name) +
            formatted(", silent for %.1f s\n", worker.idle_s);
  }
  for (const auto& [id, record] : state.records.failed) {
    text += "failed " + shown(id) + ": " + terminal_text(record.reason, kMostReasonShown) + " (" +
            terminal_text(record.worker) + ")\n";
  }
  for (const auto& [id, why] : state.records.damaged)
    text += "done " + shown(id) + ": its record " + terminal_text(why) + "\n";
  for (const auto& [number, why] : state.videos.problems)
    text += "entry " + terminal_text(number) + " of the videos " + terminal_text(why) + "\n";
  return text;
}

std::string status_json(const QueueState& state, const QueueSummary& summary) {
  Json json = {{"schema", "tandem-jobs"},
               {"schema_version", 1},
               {"frames_per_s", summary.frames_per_s},
               {"videos_gathered", state.videos_gathered},
               {"results_waiting", state.results_waiting},
               {"server_memory_bytes", state.memory_bytes},
               {"videos", Json::array()},
               {"workers", Json::array()},
               {"failed", Json::array()},
               {"problems", Json::array()}};
  for (const VideoSummary& one : summary.videos) {
    json["videos"].push_back({{"number", one.number},
                              {"video", without_password(one.uri)},
                              {"application", one.application},
                              {"jobs", one.jobs},
                              {"done", one.done},
                              {"running", one.running},
                              {"waiting", one.waiting},
                              {"failed", one.failed},
                              {"frames", one.frames}});
  }
  for (const WorkerState& worker : state.workers) {
    json["workers"].push_back(
        {{"name", worker.name}, {"jobs", worker.jobs}, {"silent_s", worker.idle_s}});
  }
  for (const auto& [id, record] : state.records.failed)
    json["failed"].push_back(
        {{"job", shown(id)}, {"worker", record.worker}, {"reason", record.reason}});
  for (const auto& [number, why] : state.videos.problems)
    json["problems"].push_back({{"entry", number}, {"problem", why}});
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace tandem
