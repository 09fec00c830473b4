// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/redis/queue.h"

#include <algorithm>
#include <charconv>
#include <map>
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

constexpr char kMostJobs[] = "100000";  // jobs that are looked at

std::string id_of(const std::string& job) {
  try {
    return read_job(job).id;
  } catch (const std::runtime_error&) {
    return "?";  // a worker will set it aside
  }
}

std::map<std::string, std::string> field_values(const RedisReply& list) {
  std::map<std::string, std::string> values;
  for (std::size_t i = 0; i + 1 < list.list.size(); i += 2)
    values[list[i].text] = list[i + 1].kind == RedisReply::Kind::kNumber
                               ? std::to_string(list[i + 1].number)
                               : list[i + 1].text;
  return values;
}

uint64_t used_memory(const std::string& info) {
  constexpr std::string_view kName = "\nused_memory:";
  const std::size_t at = info.find(kName);
  return at == info.npos ? 0 : number_from(info.substr(at + kName.size()));
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

QueueState read_queue_state(const RedisSettings& settings) {
  RedisConnection connection(settings);
  const QueueKeys keys(settings.location.name);
  make_group(connection, keys);
  const auto replies = connection.ask_all({RedisCommand{"TIME"},
                                           {"HGETALL", keys.videos},
                                           {"HGETALL", keys.done},
                                           {"HGETALL", keys.failed},
                                           {"HGETALL", keys.progress},
                                           {"XRANGE", keys.jobs, "-", "+", "COUNT", kMostJobs},
                                           {"XPENDING", keys.jobs, kGroup, "-", "+", kMostJobs},
                                           {"XINFO", "CONSUMERS", keys.jobs, kGroup},
                                           {"XLEN", keys.results},
                                           {"GET", keys.gathered},
                                           {"INFO", "memory"}});
  QueueState state;
  state.now_s = static_cast<double>(number_from(replies[0][0].text)) +
                static_cast<double>(number_from(replies[0][1].text)) / 1e6;
  state.videos = read_videos(replies[1]);
  state.records.done = read_records(replies[2], state.records.damaged);
  state.records.failed = read_failures(replies[3]);
  std::map<std::string, std::string> ignored;
  const std::map<std::string, JobRecord> progress = read_records(replies[4], ignored);
  for (const std::size_t list : {0, 5, 6, 7}) expect(replies[list], RedisReply::Kind::kList);
  std::map<std::string, std::string> holder;  // by entry
  for (const RedisReply& claim : replies[6].list) {
    // Given back: nobody holds it.
    if (claim[1].text != kNobody) holder[claim[0].text] = claim[1].text;
  }
  for (const RedisReply& entry : replies[5].list) {
    const std::string id = id_of(entry[1][1].text);
    const auto held = holder.find(entry[0].text);
    if (held == holder.end()) {
      state.waiting.push_back(id);
      continue;
    }
    JobRecord& running = state.running[id];
    if (const auto known = progress.find(id); known != progress.end()) running = known->second;
    running.worker = held->second;
  }
  for (const RedisReply& consumer : replies[7].list) {
    const auto values = field_values(consumer);
    const auto number = [&](const char* name) {
      const auto found = values.find(name);
      return found == values.end() ? 0 : number_from(found->second);
    };
    const std::string name = values.contains("name") ? values.at("name") : "";
    if (name != kNobody)
      state.workers.push_back({name, number("pending"), static_cast<double>(number("idle")) / 1e3});
  }
  state.results_waiting = static_cast<uint64_t>(replies[8].number);
  state.videos_gathered = number_from(replies[9].text);
  state.memory_bytes = used_memory(replies[10].text);
  return state;
}

std::size_t retry_failed(const RedisSettings& settings) {
  RedisConnection connection(settings);
  const QueueKeys keys(settings.location.name);
  // In this order: jobs that fail meanwhile stay, whatever video they are of.
  auto failed = read_failures(connection.ask({"HGETALL", keys.failed}));
  const std::vector<Video> videos = read_videos(connection.ask({"HGETALL", keys.videos})).videos;
  std::size_t count = 0;
  for (const Video& video : videos) {
    for (const Job& job : jobs_of(video)) {
      if (failed.erase(job.id) == 0) continue;
      transact(connection, put_commands(keys, job));
      ++count;
    }
  }
  // Texts that were no jobs, and jobs of videos that are gone.
  for (const auto& [id, record] : failed) connection.ask({"HDEL", keys.failed, id});
  return count;
}

}  // namespace tandem
