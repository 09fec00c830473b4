// SPDX-License-Identifier: LGPL-2.1-or-later
// Redis streams over hiredis. Lines go in transactions, one under way at a time: if the server
// refuses one of them, none is in the stream, so that none can overtake another.
#include <hiredis/hiredis.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "gst/publish/brokers.h"
#include "gst/publish/redisprotocol.h"
#include "gst/publish/wire.h"

namespace tandem {
namespace {

constexpr std::size_t kMostInTransaction = 100;

class RedisBroker final : public Broker {
 public:
  RedisBroker(const Location& location, const std::string& client_id, const std::string& address)
      : key_(location.name),
        most_lines_(location.most_lines),
        wire_(location, address),
        reader_(redisReaderCreate(), redisReaderFree) {
    if (!reader_) throw std::bad_alloc();
    for (const std::vector<std::string>& words : redis_greeting(location, client_id)) say(words);
    greetings_ = awaited_;
  }

  BrokerEvents turn() override {
    if (events_.lost.empty()) send_lines();
    if (events_.lost.empty()) exchange();
    BrokerEvents events = events_;
    events_.acknowledged.clear();
    return events;
  }

  Room room() const override {
    if (!under_way_.empty()) return {};
    return {kMostInTransaction - lines_.size(),
            kMostBytesUnderWay - std::min(kMostBytesUnderWay, bytes_)};
  }

  void publish(uint64_t id, const std::string& line) override {
    lines_.emplace_back(id, line);
    bytes_ += line.size();
  }

  pollfd waits_for() const override { return wire_.waits_for(); }

 private:
  template <typename Words = std::initializer_list<std::string_view>>
  void say(const Words& words) {
    wire_.write(redis_command(words));
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
    bytes_ = 0;
  }

  // Replies before the loss of the connection count.
  void exchange() {
    const std::string received = wire_.turn();
    redisReaderFeed(reader_.get(), received.data(), received.size());
    while (events_.lost.empty()) {
      void* reply = nullptr;
      if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK) {
        events_.lost = reader_->errstr;
        return;
      }
      if (!reply) break;
      take_in(*static_cast<const redisReply*>(reply));
      freeReplyObject(reply);
    }
    if (!events_.lost.empty()) return;
    events_.lost = wire_.lost();
    events_.hopeless = wire_.hopeless();
  }

  // Replies come in the order of the commands: greetings, then a transaction's, the last of which
  // confirms that all of its lines are in the stream.
  void take_in(const redisReply& reply) {
    if (awaited_ == 0) return refuse("ERR an unexpected reply");
    --awaited_;
    if (reply.type == REDIS_REPLY_ERROR) {
      refuse({reply.str, reply.len});
      find_too_long({reply.str, reply.len});
      return;
    }
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

  // The answer to a line's command that is longer than the server's proto-max-bulk-len.
  void find_too_long(std::string_view error) {
    if (error.find("invalid bulk length") == error.npos) return;
    // The last replies are still awaited: EXEC's, if there is one, and those of later lines.
    const std::size_t after = awaited_ - (under_way_.size() > 1 ? 1 : 0);
    if (after >= under_way_.size()) return;
    events_.too_long = under_way_[under_way_.size() - 1 - after];
    events_.hopeless = false;
    events_.lost += " (the limit is the server's proto-max-bulk-len)";
  }

  // The server's own words name neither password nor line.
  void refuse(std::string_view error) {
    // Empty, it would count as no loss.
    events_.lost = error.empty() ? "ERR the server refused the command without a reason" : error;
    events_.hopeless = redis_error_stays(error);
    if (redis_error_is_of_login(error)) {
      events_.lost += ". Check user and password in 'location'.";
    } else if (error.starts_with("WRONGTYPE")) {
      events_.lost += ". The key in 'location' is not a stream: use another key.";
    }
  }

  const std::string key_;
  const uint64_t most_lines_;
  Wire wire_;
  const std::unique_ptr<redisReader, void (*)(redisReader*)> reader_;
  std::vector<std::pair<uint64_t, std::string>> lines_;  // not sent yet
  std::size_t bytes_ = 0;                                // of lines_
  std::vector<uint64_t> under_way_;                      // ids of the transaction's lines
  std::size_t awaited_ = 0, greetings_ = 0;              // replies
  BrokerEvents events_;
};

// CLIENT SETNAME accepts printable ASCII alone. Keys may be any bytes.
std::string refusal_by_redis(const Location&, const std::string& client_id) {
  for (const char c : client_id) {
    if (c < '!' || c > '~')
      return "Redis does not accept this 'client-id'. It must be ASCII without spaces and control "
             "characters.";
  }
  return {};
}

std::size_t longest_redis_line(const Location&) {
  return 512
         << 20;  // proto-max-bulk-len unless it is configured otherwise, and the limit of strings
}

std::unique_ptr<Broker> open_redis(const Location& location, const std::string& client_id,
                                   const std::string& address) {
  return std::make_unique<RedisBroker>(location, client_id, address);
}

}  // namespace

const BrokerProtocol kRedisProtocol{
    .refusal = refusal_by_redis, .longest_line = longest_redis_line, .open = open_redis};

}  // namespace tandem
