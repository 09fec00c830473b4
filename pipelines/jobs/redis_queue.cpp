// SPDX-License-Identifier: LGPL-2.1-or-later
// Submitting, and what the parts of the protocol share.
#include "pipelines/jobs/redis_queue.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
void read_field(const Json& json, const char* name, T& value) {
  if (const auto found = json.find(name); found != json.end()) value = found->get<T>();
}

}  // namespace

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

JobRecord read_record(const std::string& text) try {
  const Json json = Json::parse(text);
  JobRecord record;
  read_field(json, "worker", record.worker);
  read_field(json, "frames", record.frames);
  read_field(json, "seconds", record.seconds);
  read_field(json, "end_s", record.end_s);
  read_field(json, "reason", record.reason);
  return record;
} catch (const Json::exception&) {
  return {};
}

std::map<std::string, JobRecord> read_records(const RedisReply& hash) {
  std::map<std::string, JobRecord> records;
  for (std::size_t i = 0; i + 1 < hash.list.size(); i += 2)
    records.emplace(hash[i].text, read_record(hash[i + 1].text));
  return records;
}

std::vector<Video> read_videos(const RedisReply& hash) {
  std::vector<Video> videos;
  for (std::size_t i = 0; i + 1 < hash.list.size(); i += 2) {
    try {
      videos.push_back(read_video(hash[i + 1].text));
    } catch (const std::runtime_error& e) {
      throw RedisError("video " + hash[i].text + " of the queue " + e.what(), true);
    }
  }
  std::ranges::sort(videos, {}, &Video::number);
  return videos;
}

std::vector<RedisCommand> put_commands(const QueueKeys& keys, const Job& job) {
  return {{"HDEL", keys.done, job.id},
          {"HDEL", keys.failed, job.id},
          {"HDEL", keys.reasons, job.id},
          {"XADD", keys.jobs, "*", "job", write_job(job)}};
}

void transact(RedisConnection& connection, std::vector<RedisCommand> commands) {
  commands.insert(commands.begin(), {"MULTI"});
  commands.push_back({"EXEC"});
  connection.ask_all(commands);
}

RedisSubmitQueue::RedisSubmitQueue(const RedisSettings& settings)
    : connection_(settings), keys_(settings.location.name) {}

Video RedisSubmitQueue::submit(Analysis analysis, std::vector<Part> parts) {
  const RedisReply number = connection_.ask({"INCR", keys_.numbers});
  const Video video{static_cast<uint64_t>(number.number), std::time(nullptr), std::move(analysis),
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
