// SPDX-License-Identifier: LGPL-2.1-or-later
// The side of the protocol that gathers: XREAD, XDEL.
#include <algorithm>
#include <map>
#include <utility>

#include "files/parse_number.h"
#include "pipelines/jobs/redis/queue.h"

namespace tandem {
namespace {

constexpr char kSilenceLimit_ms[] = "15000";  // of the one that gathers
constexpr char kMostEntries[] = "100";        // a read

constexpr std::size_t kMostRemoved = 1000;  // entries a command

ResultEntry entry_from(const RedisReply& reply) {
  ResultEntry entry{reply[0].text, {}, {}};
  std::map<std::string, std::string> fields;
  for (std::size_t i = 0; i + 1 < reply[1].list.size(); i += 2)
    fields.emplace(reply[1][i].text, reply[1][i + 1].text);
  entry.job = fields["job"];
  entry.lines.text = std::move(fields["lines"]);
  const auto first = parse_number<uint64_t>(fields["first"]);
  const auto frames = parse_number<uint64_t>(fields["frames"]);
  if (!first || !frames) entry.problem = "has no valid frame numbers";
  entry.lines.first_frame = first.value_or(0);
  entry.lines.frames = frames.value_or(0);
  return entry;
}

}  // namespace

GatherQueue::GatherQueue(const RedisSettings& settings, std::string name)
    : connection_(settings), keys_(settings.location.name), name_(std::move(name)) {}

bool GatherQueue::enter() {
  const RedisReply set =
      connection_.ask({"SET", keys_.gather, name_, "NX", "PX", kSilenceLimit_ms});
  if (set.text == "OK") return true;
  expect(set, RedisReply::Kind::kNothing);
  if (connection_.ask({"GET", keys_.gather}).text != name_) return false;
  connection_.ask({"PEXPIRE", keys_.gather, kSilenceLimit_ms});
  return true;
}

void GatherQueue::leave() {
  if (connection_.ask({"GET", keys_.gather}).text == name_) connection_.ask({"DEL", keys_.gather});
}

QueueVideos GatherQueue::videos() {
  return read_videos(connection_.ask({"HGETALL", keys_.videos}));
}

JobRecords GatherQueue::records() {
  const auto replies =
      connection_.ask_all({RedisCommand{"HGETALL", keys_.done}, {"HGETALL", keys_.failed}});
  JobRecords records;
  records.done = read_records(replies[0], records.damaged);
  records.failed = read_failures(replies[1]);
  return records;
}

std::vector<ResultEntry> GatherQueue::read(std::chrono::milliseconds wait) {
  RedisCommand command{"XREAD", "COUNT", kMostEntries};
  if (wait.count() > 0) command.insert(command.end(), {"BLOCK", std::to_string(wait.count())});
  command.insert(command.end(), {"STREAMS", keys_.results, last_});
  const RedisReply streams = connection_.ask(command);
  if (streams.kind == RedisReply::Kind::kNothing) return {};
  expect(streams[0][1], RedisReply::Kind::kList);
  std::vector<ResultEntry> entries;
  for (const RedisReply& one : streams[0][1].list) entries.push_back(entry_from(one));
  if (!entries.empty()) last_ = entries.back().entry;
  return entries;
}

void GatherQueue::remove(const std::vector<std::string>& entries) {
  for (std::size_t from = 0; from < entries.size(); from += kMostRemoved) {
    RedisCommand command{"XDEL", keys_.results};
    const std::size_t end = std::min(entries.size(), from + kMostRemoved);
    command.insert(command.end(), entries.begin() + static_cast<std::ptrdiff_t>(from),
                   entries.begin() + static_cast<std::ptrdiff_t>(end));
    in_turn({std::move(command)});
  }
}

void GatherQueue::put_back(const Job& job) { in_turn(put_commands(keys_, job)); }

void GatherQueue::set_aside(const Job& job, const JobRecord& record) {
  in_turn({{"HDEL", keys_.done, job.id}, {"HSET", keys_.failed, job.id, write_record(record)}});
}

void GatherQueue::forget(const Video& video) {
  std::vector<RedisCommand> commands{{"HDEL", keys_.videos, std::to_string(video.number)},
                                     {"INCR", keys_.gathered}};
  for (const Job& job : jobs_of(video)) {
    for (const std::string* hash : {&keys_.done, &keys_.failed, &keys_.reasons, &keys_.progress})
      commands.push_back({"HDEL", *hash, job.id});
  }
  in_turn(std::move(commands));
}

// One that stood still may wake up when another has begun.
void GatherQueue::in_turn(std::vector<RedisCommand> commands) {
  const auto replies =
      connection_.ask_all({RedisCommand{"WATCH", keys_.gather}, {"GET", keys_.gather}});
  if (replies[1].text != name_ ||
      transact(connection_, std::move(commands)).kind == RedisReply::Kind::kNothing)
    throw RedisError("this gather was silent for too long and lost its lock on the queue", false);
}

}  // namespace tandem
