// SPDX-License-Identifier: LGPL-2.1-or-later
// A worker's side of the protocol: XREADGROUP, XAUTOCLAIM, XPENDING, XCLAIM, XADD, XACK.
#include <algorithm>
#include <utility>

#include "pipelines/jobs/redis/queue.h"

namespace tandem {
namespace {

constexpr int kMostRounds = 1000;  // of XAUTOCLAIM, each of which looks at ten claims

}  // namespace

WorkQueue::WorkQueue(const RedisSettings& settings, std::string worker,
                     std::chrono::milliseconds claim_limit)
    : connection_(settings),
      keys_(settings.location.name),
      worker_(std::move(worker)),
      claim_limit_ms_(std::to_string(claim_limit.count())) {
  make_group(connection_, keys_);
  forget_dead_workers();
}

std::optional<Claim> WorkQueue::take(std::chrono::milliseconds most) {
  if (!asked_for_own_) {
    // The answer to an earlier connection may have been lost on its way.
    if (auto claim = read("0", {})) return claim;
    asked_for_own_ = true;
  }
  if (auto claim = claim_of_others()) return claim;
  return read(">", most);
}

bool WorkQueue::keep(const Claim& claim) {
  const RedisReply pending =
      connection_.ask({"XPENDING", keys_.jobs, kGroup, claim.entry, claim.entry, "1"});
  if (pending[0][1].text != worker_) return false;
  // Whoever claims it between these two commands loses it again, and notices.
  connection_.ask({"XCLAIM", keys_.jobs, kGroup, worker_, "0", claim.entry, "JUSTID"});
  return true;
}

void WorkQueue::publish(const std::string& job, const ResultLines& lines,
                        const JobRecord& progress) {
  connection_.ask_all({result(job, lines), {"HSET", keys_.progress, job, write_record(progress)}});
}

void WorkQueue::finish(const Claim& claim, const std::string& job, const ResultLines& last,
                       const JobRecord& record) {
  std::vector<RedisCommand> commands;
  if (last.frames > 0) commands.push_back(result(job, last));
  commands.push_back({"HSET", keys_.done, job, write_record(record)});
  commands.push_back({"HDEL", keys_.failed, job});
  end(claim, job, std::move(commands));
}

void WorkQueue::set_aside(const Claim& claim, const std::string& job, const JobRecord& record) {
  end(claim, job, {{"HSET", keys_.failed, job, write_record(record)}});
}

void WorkQueue::give_back(const Claim& claim, const std::string& job, const JobRecord& record,
                          bool counts) {
  const std::string attempts = std::to_string(counts ? claim.attempt : claim.attempt - 1);
  std::vector<RedisCommand> commands{{"HDEL", keys_.progress, job}};
  if (counts) commands.push_back({"HSET", keys_.reasons, job, write_record(record)});
  if (keep(claim)) {  // it is not another's by now
    commands.push_back({"XCLAIM", keys_.jobs, kGroup, kNobody, "0", claim.entry, "IDLE",
                        claim_limit_ms_, "RETRYCOUNT", attempts, "JUSTID"});
  }
  transact(connection_, std::move(commands));
}

std::string WorkQueue::last_reason(const std::string& job) {
  const RedisReply text = connection_.ask({"HGET", keys_.reasons, job});
  if (text.kind != RedisReply::Kind::kText) return "";
  try {
    return read_record(text.text).reason;
  } catch (const std::runtime_error& e) {
    return std::string("the record of its last failure ") + e.what();
  }
}

uint64_t WorkQueue::results_waiting() { return length(keys_.results); }
uint64_t WorkQueue::jobs_left() { return length(keys_.jobs); }

void WorkQueue::leave() {
  // A consumer that goes takes its claims with it.
  const RedisReply own = connection_.ask({"XPENDING", keys_.jobs, kGroup, "-", "+", "1", worker_});
  if (own.list.empty()) connection_.ask({"XGROUP", "DELCONSUMER", keys_.jobs, kGroup, worker_});
}

uint64_t WorkQueue::length(const std::string& stream) {
  return static_cast<uint64_t>(connection_.ask({"XLEN", stream}, RedisReply::Kind::kNumber).number);
}

RedisCommand WorkQueue::result(const std::string& job, const ResultLines& lines) const {
  return {"XADD",
          keys_.results,
          "*",
          "job",
          job,
          "first",
          std::to_string(lines.first_frame),
          "frames",
          std::to_string(lines.frames),
          "lines",
          lines.text};
}

void WorkQueue::end(const Claim& claim, const std::string& job,
                    std::vector<RedisCommand> commands) {
  commands.push_back({"HDEL", keys_.progress, job});
  commands.push_back({"HDEL", keys_.reasons, job});
  commands.push_back({"XACK", keys_.jobs, kGroup, claim.entry});
  commands.push_back({"XDEL", keys_.jobs, claim.entry});
  transact(connection_, std::move(commands));
}

std::optional<Claim> WorkQueue::read(const char* from, std::chrono::milliseconds most) {
  RedisCommand command{"XREADGROUP", "GROUP", kGroup, worker_, "COUNT", "1"};
  if (most.count() > 0) command.insert(command.end(), {"BLOCK", std::to_string(most.count())});
  command.insert(command.end(), {"STREAMS", keys_.jobs, from});
  const RedisReply streams = connection_.ask(command);
  if (streams.kind == RedisReply::Kind::kNothing) return std::nullopt;
  expect(streams[0][1], RedisReply::Kind::kList);
  return claim_from(streams[0][1][0], from[0] == '>');
}

// Those that hold nothing and have been silent for longer than a claim lasts. In one step: one of
// them may wake up and take a job, which would go with it.
void WorkQueue::forget_dead_workers() {
  constexpr char kForget[] =
      "for _, one in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do "
      "local of = {} for i = 1, #one, 2 do of[one[i]] = one[i + 1] end "
      "if of.pending == 0 and of.idle > tonumber(ARGV[2]) and of.name ~= ARGV[3] then "
      "redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], of.name) end end";
  connection_.ask({"EVAL", kForget, "1", keys_.jobs, kGroup, claim_limit_ms_, kNobody});
}

// Claims a job that was given back, or one whose worker has been silent for too long.
std::optional<Claim> WorkQueue::claim_of_others() {
  std::string cursor = "0-0";
  for (int round = 0; round < kMostRounds; ++round) {
    const RedisReply claimed = connection_.ask(
        {"XAUTOCLAIM", keys_.jobs, kGroup, worker_, claim_limit_ms_, cursor, "COUNT", "1"});
    expect(claimed[0], RedisReply::Kind::kText);
    expect(claimed[1], RedisReply::Kind::kList);
    if (auto claim = claim_from(claimed[1][0], false)) return claim;
    cursor = claimed[0].text;
    if (cursor == "0-0") break;
  }
  return std::nullopt;
}

std::optional<Claim> WorkQueue::claim_from(const RedisReply& entry, bool is_new) {
  if (entry.list.size() < 2) return std::nullopt;
  Claim claim{entry[0].text, entry[1][1].text, 1};
  if (entry[1].list.empty()) {  // it is done and its claim is a remnant
    connection_.ask({"XACK", keys_.jobs, kGroup, claim.entry});
    return std::nullopt;
  }
  if (is_new) return claim;
  const RedisReply pending =
      connection_.ask({"XPENDING", keys_.jobs, kGroup, claim.entry, claim.entry, "1"});
  claim.attempt = static_cast<int>(std::clamp<int64_t>(pending[0][3].number, 1, 1'000'000));
  return claim;
}

}  // namespace tandem
