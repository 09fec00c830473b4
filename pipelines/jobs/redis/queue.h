// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/jobs/job_queue.h"
#include "pipelines/jobs/redis/connection.h"

namespace tandem {

/// Names of a queue's keys.
struct QueueKeys {
  explicit QueueKeys(const std::string& queue)
      : jobs(queue + ":jobs"),
        results(queue + ":results"),
        videos(queue + ":videos"),
        done(queue + ":done"),
        failed(queue + ":failed"),
        progress(queue + ":progress"),
        reasons(queue + ":reasons"),
        numbers(queue + ":numbers"),
        gathered(queue + ":gathered"),
        gather(queue + ":gather") {}
  std::string jobs;     ///< stream, field `job`: unfinished jobs; its group is kGroup
  std::string results;  ///< stream, fields `job`, `first`, `frames`, `lines`
  std::string videos;   ///< hash by number
  std::string done;     ///< hash by job, as are the next three
  std::string failed;
  std::string progress;
  std::string reasons;   ///< reason of the last failure
  std::string numbers;   ///< the number of the latest video
  std::string gathered;  ///< number of videos that were gathered and removed
  std::string gather;    ///< name of the gather that has the lock, with a time to live
};

inline constexpr char kGroup[] = "workers";
/// The consumer of returned jobs: it never sends a command, so that its jobs may be claimed at
/// once.
inline constexpr char kNobody[] = "nobody";

/// Puts videos into the queue, numbered, and all jobs of one in one step. Throws RedisError.
class SubmitQueue {
 public:
  explicit SubmitQueue(const RedisSettings& settings);
  /// The video with its number.
  Video submit(Analysis analysis, std::vector<Part> parts);

 private:
  RedisConnection connection_;
  const QueueKeys keys_;
};

/// A queue as workers use it. Every call waits for the server and throws RedisError.
class WorkQueue {
 public:
  /// `claim_limit`: a worker that has been silent for so long loses its job.
  WorkQueue(const RedisSettings& settings, std::string worker,
            std::chrono::milliseconds claim_limit);

  /// A job: one assigned to this worker whose reply was lost, else one whose claim has expired,
  /// else the next one. Waits up to `most` if there is none.
  std::optional<Claim> take(std::chrono::milliseconds most);
  /// Renews the claim. False: another worker has the job, or it is done.
  bool keep(const Claim& claim);
  void publish(const std::string& job, const ResultLines& lines, const JobRecord& progress);
  /// In one step: the last lines, that the job is done, and the end of the claim.
  void finish(const Claim& claim, const std::string& job, const ResultLines& last,
              const JobRecord& record);
  /// Others may take the job at once. `counts`: as a failed attempt, with the record's reason.
  void give_back(const Claim& claim, const std::string& job, const JobRecord& record, bool counts);
  /// The job has failed for good.
  void set_aside(const Claim& claim, const std::string& job, const JobRecord& record);
  /// The reason of the job's last failure; empty: none recorded, because its worker died.
  std::string last_reason(const std::string& job);
  /// Entries of results that wait to be gathered.
  uint64_t results_waiting();
  uint64_t jobs_left();  ///< waiting or claimed
  /// The worker takes no more.
  void leave();

 private:
  uint64_t length(const std::string& stream);
  RedisCommand result(const std::string& job, const ResultLines& lines) const;
  void end(const Claim& claim, const std::string& job, std::vector<RedisCommand> commands);
  std::optional<Claim> read(const char* from, std::chrono::milliseconds most);
  void forget_dead_workers();
  std::optional<Claim> claim_of_others();
  std::optional<Claim> claim_from(const RedisReply& entry, bool is_new);

  RedisConnection connection_;
  const QueueKeys keys_;
  const std::string worker_, claim_limit_ms_;
  bool asked_for_own_ = false;
};

/// A queue as a gather uses it. Every call waits for the server and throws RedisError.
class GatherQueue {
 public:
  GatherQueue(const RedisSettings& settings, std::string name);

  /// Acquires or renews the lock of gathering, which expires after a while of silence. False:
  /// another gather has it.
  bool enter();
  void leave();
  QueueVideos videos();
  JobRecords records();
  /// Those behind the last read, `wait` at most until there are some.
  std::vector<ResultEntry> read(std::chrono::milliseconds wait);
  // The following throw RedisError and change nothing if another gather has the lock.
  /// Removes entries of results.
  void remove(const std::vector<std::string>& entries);
  /// Requeues a job whose results are lost.
  void put_back(const Job& job);
  /// The job has failed for good.
  void set_aside(const Job& job, const JobRecord& record);
  /// The video is gathered.
  void forget(const Video& video);

 private:
  void in_turn(std::vector<RedisCommand> commands);

  RedisConnection connection_;
  const QueueKeys keys_;
  const std::string name_;
  std::string last_ = "0-0";
};

/// Reads all. Throws RedisError.
QueueState read_queue_state(const RedisSettings& settings);

/// Puts jobs that failed back, and forgets failures of what belongs to no video. Returns how many
/// jobs. Throws RedisError.
std::size_t retry_failed(const RedisSettings& settings);

// Shared by the classes above.
/// Makes the group of the jobs' stream, and the stream, where they are not there. Throws
/// RedisError.
void make_group(RedisConnection& connection, const QueueKeys& keys);
/// The number at the beginning of a text; without one 0.
uint64_t number_from(const std::string& text);
std::string write_record(const JobRecord& record);
/// For any text. Throws std::runtime_error with the fault.
JobRecord read_record(const std::string& text);
// Throw RedisError if the reply is not a hash.
QueueVideos read_videos(const RedisReply& hash);
/// Records that cannot be read are in `damaged`, with the reason.
std::map<std::string, JobRecord> read_records(const RedisReply& hash,
                                              std::map<std::string, std::string>& damaged);
/// As failures: that a record cannot be read is the reason.
std::map<std::string, JobRecord> read_failures(const RedisReply& hash);
/// Commands that put a job into the queue and forget how it ended.
std::vector<RedisCommand> put_commands(const QueueKeys& keys, const Job& job);
/// Executes all of them, or none. The reply is kNothing if a watched key has changed.
RedisReply transact(RedisConnection& connection, std::vector<RedisCommand> commands);

}  // namespace tandem
