// SPDX-License-Identifier: LGPL-2.1-or-later
// Redis streams over hiredis. Lines go in transactions, one under way at a time: if the server
// refuses one of them, none is in the stream, so that none can overtake another.
#include <hiredis/hiredis.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "gst/publish/brokers.h"
#include "gst/publish/rediserror.h"

namespace tandem {
namespace {

constexpr std::size_t kMostInTransaction = 100;

class RedisBroker final : public Broker {
 public:
  RedisBroker(const Location& location, const std::string& client_id, const std::string& address)
      : key_(location.name), most_lines_(location.most_lines) {
    context_ = redisConnectNonBlock(address.c_str(), location.port);
    if (!context_) throw std::runtime_error("no memory for a connection");
    if (context_->err) {
      events_.lost = context_->errstr;
      return;
    }
    if (location.password && !location.user.empty()) {
      say({"AUTH", location.user, *location.password});
    } else if (location.password) {
      say({"AUTH", *location.password});
    }
    if (!client_id.empty()) say({"CLIENT", "SETNAME", client_id});
    say({"PING"});
    greetings_ = awaited_;
  }

  ~RedisBroker() override { redisFree(context_); }

  BrokerEvents turn() override {
    if (events_.lost.empty()) send_lines();
    if (events_.lost.empty()) write();
    if (events_.lost.empty()) read();
    BrokerEvents events = events_;
    events_.acknowledged.clear();
    return events;
  }

  std::size_t room() const override {
    return under_way_.empty() ? kMostInTransaction - lines_.size() : 0;
  }

  void publish(uint64_t id, const std::string& line) override { lines_.emplace_back(id, line); }

  pollfd waits_for() const override {
    return {context_->fd, static_cast<short>(POLLIN | (unsent_ ? POLLOUT : 0)), 0};
  }

 private:
  void say(std::initializer_list<std::string_view> words) {
    const char* texts[8];
    size_t sizes[8];
    int count = 0;
    for (const std::string_view word : words) {
      texts[count] = word.data();
      sizes[count++] = word.size();
    }
    if (redisAppendCommandArgv(context_, count, texts, sizes) != REDIS_OK) fail();
    unsent_ = true;
    ++awaited_;
  }

  void send_lines() {
    if (!events_.connected || lines_.empty() || !under_way_.empty()) return;
    const bool alone = lines_.size() == 1;
    if (!alone) say({"MULTI"});
    const std::string most = std::to_string(most_lines_);
    for (const auto& [id, line] : lines_) {
      if (most_lines_ > 0) {
        say({"XADD", key_, "MAXLEN", "~", most, "*", "line", line});
      } else {
        say({"XADD", key_, "*", "line", line});
      }
      under_way_.push_back(id);
    }
    if (!alone) say({"EXEC"});
    lines_.clear();
  }

  void write() {
    int done = 0;
    if (unsent_ && redisBufferWrite(context_, &done) != REDIS_OK) return fail();
    if (unsent_) unsent_ = !done;
  }

  void read() {
    if (redisBufferRead(context_) != REDIS_OK) return fail();
    for (;;) {
      void* reply = nullptr;
      if (redisGetReplyFromReader(context_, &reply) != REDIS_OK) return fail();
      if (!reply) return;
      take_in(*static_cast<const redisReply*>(reply));
      freeReplyObject(reply);
      if (!events_.lost.empty()) return;
    }
  }

  // Replies come in the order of the commands: greetings, then a transaction's, the last of which
  // tells that all of its lines are in the stream.
  void take_in(const redisReply& reply) {
    if (awaited_ == 0) return refuse("ERR a reply that nobody asked for");
    --awaited_;
    if (reply.type == REDIS_REPLY_ERROR) return refuse({reply.str, reply.len});
    for (std::size_t i = 0; i < reply.elements; ++i) {
      const redisReply& part = *reply.element[i];
      if (part.type == REDIS_REPLY_ERROR) return refuse({part.str, part.len});
    }
    if (greetings_ > 0) {
      events_.connected = --greetings_ == 0;
    } else if (awaited_ == 0) {
      std::swap(events_.acknowledged, under_way_);
    }
  }

  // The server's own words name neither password nor line.
  void refuse(std::string_view error) {
    events_.lost = error;
    events_.hopeless = redis_error_stays(error);
    if (error.starts_with("NOAUTH") || error.starts_with("WRONGPASS") ||
        error.find("AUTH") != error.npos) {
      events_.lost += ". Check user and password in 'location'.";
    } else if (error.starts_with("WRONGTYPE")) {
      events_.lost += ". The key in 'location' is in use for something else than a stream.";
    }
  }

  void fail() {
    events_.lost = context_->errstr;
    if (events_.lost.empty()) events_.lost = "the connection failed";
  }

  const std::string key_;
  const uint64_t most_lines_;
  redisContext* context_ = nullptr;
  std::vector<std::pair<uint64_t, std::string>> lines_;  // not sent yet
  std::vector<uint64_t> under_way_;                      // ids of the transaction's lines
  std::size_t awaited_ = 0, greetings_ = 0;              // replies
  bool unsent_ = false;
  BrokerEvents events_;
};

}  // namespace

std::string missing_redis() { return {}; }

std::unique_ptr<Broker> open_redis(const Location& location, const std::string& client_id,
                                   const std::string& address) {
  return std::make_unique<RedisBroker>(location, client_id, address);
}

}  // namespace tandem
