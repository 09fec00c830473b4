// SPDX-License-Identifier: LGPL-2.1-or-later
// Submitting, and what the parts of the protocol share.
#include "pipelines/jobs/redis/queue.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "files/json_object.h"
#include "files/json_text.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRecordBytes = 64 << 10;
constexpr double kMostFrames = 1e12, kMostSeconds = 1e12;

// Calls `read` with each field and its value. Throws RedisError.
template <typename Read>
void read_hash(const RedisReply& hash, Read&& read) {
  expect(hash, RedisReply::Kind::kList);
  for (std::size_t i = 0; i + 1 < hash.list.size(); i += 2) read(hash[i].text, hash[i + 1].text);
}

}  // namespace

void make_group(RedisConnection& connection, const QueueKeys& keys) {
  const RedisReply made = connection.ask({"XGROUP", "CREATE", keys.jobs, kGroup, "0", "MKSTREAM"});
  if (made.text != "OK") expect(made, RedisReply::Kind::kError);  // it was there
}

uint64_t number_from(const std::string& text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string write_record(const JobRecord& record) {
  return Json{{"worker", record.worker},
              {"frames", record.frames},
              {"seconds", record.seconds},
              {"end_s", record.end_s},
              {"reason", record.reason}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

JobRecord read_record(const std::string& text) {
  if (text.size() > kMostRecordBytes) throw std::runtime_error("is too long");
  const nlohmann::json json = parse_json(text);
  const JsonObject from(json, "", {.least = 0, .most = kMostSeconds});
  const double frames = from.within({.least = 0, .most = kMostFrames}).number("frames");
  return {from.text("worker"), static_cast<uint64_t>(frames), from.number("seconds"),
          from.number("end_s"), from.text("reason")};
}

std::map<std::string, JobRecord> read_records(const RedisReply& hash,
                                              std::map<std::string, std::string>& damaged) {
  std::map<std::string, JobRecord> records;
  read_hash(hash, [&](const std::string& job, const std::string& text) {
    try {
      records.emplace(job, read_record(text));
    } catch (const std::runtime_error& e) {
      damaged.emplace(job, e.what());
    }
  });
  return records;
}

std::map<std::string, JobRecord> read_failures(const RedisReply& hash) {
  std::map<std::string, std::string> damaged;
  std::map<std::string, JobRecord> records = read_records(hash, damaged);
  for (const auto& [job, why] : damaged)
    records.emplace(job, JobRecord{"?", 0, 0, 0, "its record " + why});
  return records;
}

QueueVideos read_videos(const RedisReply& hash) {
  QueueVideos all;
  read_hash(hash, [&](const std::string& number, const std::string& text) {
    try {
      Video video = read_video(text);
      if (std::to_string(video.number) != number)
        throw std::runtime_error("has the number of another one");
      all.videos.push_back(std::move(video));
    } catch (const std::runtime_error& e) {
      all.problems.emplace(number, e.what());
    }
  });
  std::ranges::sort(all.videos, {}, &Video::number);
  return all;
}

std::vector<RedisCommand> put_commands(const QueueKeys& keys, const Job& job) {
  return {{"HDEL", keys.done, job.id},
          {"HDEL", keys.failed, job.id},
          {"HDEL", keys.reasons, job.id},
          {"XADD", keys.jobs, "*", "job", write_job(job)}};
}

RedisReply transact(RedisConnection& connection, std::vector<RedisCommand> commands) {
  commands.insert(commands.begin(), {"MULTI"});
  commands.push_back({"EXEC"});
  RedisReply done = std::move(connection.ask_all(commands).back());
  if (done.kind != RedisReply::Kind::kNothing) expect(done, RedisReply::Kind::kList);
  return done;
}

SubmitQueue::SubmitQueue(const RedisSettings& settings)
    : connection_(settings), keys_(settings.location.name) {}

Video SubmitQueue::submit(Analysis analysis, std::vector<Part> parts) {
  const RedisReply number = connection_.ask({"INCR", keys_.numbers}, RedisReply::Kind::kNumber);
  const Video video{static_cast<uint64_t>(number.number), new_identity(), std::move(analysis),
                    std::move(parts)};
  std::vector<RedisCommand> commands;
  commands.push_back({"HSET", keys_.videos, std::to_string(video.number), write_video(video)});
  for (const Job& job : jobs_of(video)) {
    for (RedisCommand& command : put_commands(keys_, job)) commands.push_back(std::move(command));
  }
  transact(connection_, std::move(commands));
  return video;
}

}  // namespace tandem
