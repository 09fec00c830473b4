// SPDX-License-Identifier: LGPL-2.1-or-later
// The side of the protocol that gathers: XREAD, XTRIM.
#include <utility>

#include "pipelines/jobs/redis_queue.h"

namespace tandem {
namespace {

constexpr char kSilenceLimit_ms[] = "15000";  // of the one that gathers
constexpr char kMostEntries[] = "100";        // a read

ResultEntry entry_from(const RedisReply& reply) {
  ResultEntry entry{reply[0].text, {}, {}};
  const RedisReply& fields = reply[1];
  for (std::size_t i = 0; i + 1 < fields.list.size(); i += 2) {
    const std::string& name = fields[i].text;
    const std::string& value = fields[i + 1].text;
    if (name == "job") entry.job = value;
    if (name == "first") entry.lines.first_frame = number_from(value);
    if (name == "frames") entry.lines.frames = number_from(value);
    if (name == "lines") entry.lines.text = value;
  }
  return entry;
}

class RedisGatherQueue final : public GatherQueue {
 public:
  RedisGatherQueue(const RedisSettings& settings, std::string name)
      : connection_(settings), keys_(settings.location.name), name_(std::move(name)) {}

  bool enter() override {
    const RedisReply set =
        connection_.ask({"SET", keys_.gather, name_, "NX", "PX", kSilenceLimit_ms});
    if (set.kind == RedisReply::Kind::kText) return true;
    if (connection_.ask({"GET", keys_.gather}).text != name_) return false;
    connection_.ask({"PEXPIRE", keys_.gather, kSilenceLimit_ms});
    return true;
  }

  void leave() override {
    if (connection_.ask({"GET", keys_.gather}).text == name_)
      connection_.ask({"DEL", keys_.gather});
  }

  std::vector<Video> videos() override {
    return read_videos(connection_.ask({"HGETALL", keys_.videos}));
  }

  JobRecords records() override {
    const auto replies =
        connection_.ask_all({RedisCommand{"HGETALL", keys_.done}, {"HGETALL", keys_.failed}});
    return {read_records(replies[0]), read_records(replies[1])};
  }

  std::vector<ResultEntry> read(std::chrono::milliseconds wait) override {
    RedisCommand command{"XREAD", "COUNT", kMostEntries};
    if (wait.count() > 0) command.insert(command.end(), {"BLOCK", std::to_string(wait.count())});
    command.insert(command.end(), {"STREAMS", keys_.results, last_});
    const RedisReply streams = connection_.ask(command);
    std::vector<ResultEntry> entries;
    for (const RedisReply& one : streams[0][1].list) entries.push_back(entry_from(one));
    if (!entries.empty()) last_ = entries.back().entry;
    return entries;
  }

  void trim() override {
    if (last_ == trimmed_) return;
    connection_.ask_all({RedisCommand{"XTRIM", keys_.results, "MINID", last_},
                         RedisCommand{"XDEL", keys_.results, last_}});
    trimmed_ = last_;
  }

  void put_back(const Job& job) override { transact(connection_, put_commands(keys_, job)); }

  void forget(const Video& video) override {
    std::vector<RedisCommand> commands{{"HDEL", keys_.videos, std::to_string(video.number)},
                                       {"INCR", keys_.gathered}};
    for (const Job& job : jobs_of(video)) {
      for (const std::string* hash : {&keys_.done, &keys_.failed, &keys_.reasons, &keys_.progress})
        commands.push_back({"HDEL", *hash, job.id});
    }
    transact(connection_, std::move(commands));
  }

 private:
  RedisConnection connection_;
  const QueueKeys keys_;
  const std::string name_;
  std::string last_ = "0-0", trimmed_ = "0-0";
};

}  // namespace

std::unique_ptr<GatherQueue> open_gather_queue(const RedisSettings& settings,
                                               const std::string& name) {
  return std::make_unique<RedisGatherQueue>(settings, name);
}

}  // namespace tandem
