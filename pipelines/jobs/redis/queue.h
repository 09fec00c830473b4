// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <memory>
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
  std::string jobs;     ///< stream, field `job`: what is not done; its group is kGroup
  std::string results;  ///< stream, fields `job`, `first`, `frames`, `lines`
  std::string videos;   ///< hash by number
  std::string done;     ///< hash by job, as are the next three
  std::string failed;
  std::string progress;
  std::string reasons;   ///< why the last attempt failed
  std::string numbers;   ///< the number of the latest video
  std::string gathered;  ///< how many videos are gathered and gone
  std::string gather;    ///< who gathers, with a time to live
};

inline constexpr char kGroup[] = "workers";
/// Holds what was given back: a consumer that never speaks, whose jobs may be claimed at once.
inline constexpr char kNobody[] = "nobody";

/// Puts videos into the queue, numbered, and all jobs of one in one step. Throws RedisError.
class RedisSubmitQueue {
 public:
  explicit RedisSubmitQueue(const RedisSettings& settings);
  /// The video with its number.
  Video submit(Analysis analysis, std::vector<Part> parts);

 private:
  RedisConnection connection_;
  const QueueKeys keys_;
};

/// `claim_limit`: a worker that has been silent for so long loses its job.
std::unique_ptr<WorkQueue> open_work_queue(const RedisSettings& settings, const std::string& worker,
                                           std::chrono::milliseconds claim_limit);

std::unique_ptr<GatherQueue> open_gather_queue(const RedisSettings& settings,
                                               const std::string& name);

/// Reads all. Throws RedisError.
QueueState look(const RedisSettings& settings);

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
/// For any text. Throws std::runtime_error, which names what is wrong.
JobRecord read_record(const std::string& text);
// Throw RedisError when the answer is no hash.
QueueVideos read_videos(const RedisReply& hash);
/// Records that cannot be read are in `damaged`, with the reason.
std::map<std::string, JobRecord> read_records(const RedisReply& hash,
                                              std::map<std::string, std::string>& damaged);
/// As failures: that a record cannot be read is the reason.
std::map<std::string, JobRecord> read_failures(const RedisReply& hash);
/// Commands that put a job into the queue and forget how it ended.
std::vector<RedisCommand> put_commands(const QueueKeys& keys, const Job& job);
/// Carries all of them out, or none. The answer is nothing where a watched key has changed.
RedisReply transact(RedisConnection& connection, std::vector<RedisCommand> commands);

}  // namespace tandem
