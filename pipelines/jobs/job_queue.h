// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pipelines/jobs/job.h"

namespace tandem {

/// A job that a worker has claimed: no other worker gets it while the claim is renewed.
struct Claim {
  std::string entry;  ///< its place in the queue
  std::string text;   ///< the submitted text, for read_job()
  int attempt = 1;    ///< number of this attempt, from 1
};

/// Results of consecutive frames of a job: a line of JSON each, with newlines.
struct ResultLines {
  uint64_t first_frame = 0;  ///< in the video
  uint64_t frames = 0;
  std::string text;
};

/// The end of a job, or its present state.
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
  std::string problem{};  ///< the reason why it is invalid; empty: no known fault
};

/// The records of jobs, beside their results; by job_id().
struct JobRecords {
  std::map<std::string, JobRecord> done, failed;
  std::map<std::string, std::string>
      damaged{};  ///< recorded as done, with the reason why the record cannot be read
};

/// The videos of a queue, by number, and invalid entries among them.
struct QueueVideos {
  std::vector<Video> videos;
  std::map<std::string, std::string>
      problems{};  ///< by the name of the entry: the reason why it is not a video
};

/// A worker as recorded in the queue.
struct WorkerState {
  std::string name;
  uint64_t jobs = 0;  ///< that it holds
  double idle_s = 0;  ///< since its last command
};

/// The output of `tandem jobs`.
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
