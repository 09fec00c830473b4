// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pipelines/jobs/job.h"

namespace tandem {

/// A job that a worker holds: the queue gives it to nobody else while the worker keeps it.
struct Claim {
  std::string entry;  ///< its place in the queue
  std::string text;   ///< what was submitted: read_job() reads it
  int attempt = 1;    ///< how often it was given to a worker, this time included
};

/// Results of consecutive frames of a job: a line of JSON each, with newlines.
struct ResultLines {
  uint64_t first_frame = 0;  ///< in the video
  uint64_t frames = 0;
  std::string text;
};

/// How a job ended, or stands.
struct JobRecord {
  std::string worker;
  uint64_t frames = 0;
  double seconds = 0;    ///< since its worker began with it
  double end_s = 0;      ///< when that was, since 1970 UTC, by the worker's clock
  std::string reason{};  ///< why it failed
};

/// An entry of the stream of results.
struct ResultEntry {
  std::string entry, job;
  ResultLines lines;
  std::string problem{};  ///< why it is of no use; empty: nothing is known against it
};

/// The records of jobs, beside their results; by job_id().
struct JobRecords {
  std::map<std::string, JobRecord> done, failed;
  std::map<std::string, std::string> damaged{};  ///< done, they say; why that cannot be read
};

/// The videos of a queue, by number, and what stands between them.
struct QueueVideos {
  std::vector<Video> videos;
  std::map<std::string, std::string> problems{};  ///< by the name of the entry: why it is no video
};

/// A worker as the queue knows it.
struct WorkerState {
  std::string name;
  uint64_t jobs = 0;  ///< that it holds
  double idle_s = 0;  ///< since it last spoke
};

/// All that `tandem jobs` tells.
struct QueueState {
  double now_s = 0;  ///< since 1970 UTC
  QueueVideos videos;
  JobRecords records;
  std::map<std::string, JobRecord> running;  ///< claimed, by job_id()
  std::vector<std::string> waiting;          ///< job_id()s
  std::vector<WorkerState> workers;
  uint64_t results_waiting = 0, videos_gathered = 0, memory_bytes = 0;
};

}  // namespace tandem
