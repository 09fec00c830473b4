// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
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

/// A queue as workers use it. Every call waits for the server and throws RedisError.
class WorkQueue {
 public:
  WorkQueue() = default;
  virtual ~WorkQueue() = default;
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// A job: one that was given to this worker without its knowledge, else one that nobody keeps any
  /// more, else the next one. Waits for `most` when there is none.
  virtual std::optional<Claim> take(std::chrono::milliseconds most) = 0;
  /// Says that the worker is at work. False: the job is another's, or done.
  virtual bool keep(const Claim& claim) = 0;
  virtual void publish(const std::string& job, const ResultLines& lines,
                       const JobRecord& progress) = 0;
  /// In one step: the last lines, that the job is done, and the end of the claim.
  virtual void finish(const Claim& claim, const std::string& job, const ResultLines& last,
                      const JobRecord& record) = 0;
  /// Others may take the job at once. `counts`: as a failed attempt, with the record's reason.
  virtual void give_back(const Claim& claim, const std::string& job, const JobRecord& record,
                         bool counts) = 0;
  /// The job has failed for good.
  virtual void set_aside(const Claim& claim, const std::string& job, const JobRecord& record) = 0;
  /// Why the job's last attempt failed; empty where nobody said so: its worker died.
  virtual std::string last_reason(const std::string& job) = 0;
  /// Entries of results that wait to be gathered.
  virtual uint64_t results_waiting() = 0;
  virtual uint64_t jobs_left() = 0;  ///< waiting or claimed
  /// The worker takes no more.
  virtual void leave() = 0;
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

/// A queue as a gather uses it. Every call waits for the server and throws RedisError.
class GatherQueue {
 public:
  GatherQueue() = default;
  virtual ~GatherQueue() = default;
  GatherQueue(const GatherQueue&) = delete;
  GatherQueue& operator=(const GatherQueue&) = delete;

  /// Whether this one may gather: another one may not until it has been silent for a while.
  virtual bool enter() = 0;
  virtual void leave() = 0;
  virtual QueueVideos videos() = 0;
  virtual JobRecords records() = 0;
  /// Those behind the last read, `wait` at most until there are some.
  virtual std::vector<ResultEntry> read(std::chrono::milliseconds wait) = 0;
  // Nothing of the following is done when it is another one's turn by now: it is a RedisError.
  /// Entries of results that are of no more use.
  virtual void remove(const std::vector<std::string>& entries) = 0;
  /// The job's results are lost: it is to be done again.
  virtual void put_back(const Job& job) = 0;
  /// The job has failed for good.
  virtual void set_aside(const Job& job, const JobRecord& record) = 0;
  /// The video is gathered.
  virtual void forget(const Video& video) = 0;
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
