// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/redis/connection.h"

#include <hiredis/hiredis.h>
#include <poll.h>

#include <chrono>

#include "files/terminal_text.h"
#include "gst/publish/hostconnector.h"
#include "gst/publish/redisprotocol.h"
#include "gst/publish/wire.h"

namespace tandem {
namespace {

constexpr int kMostNesting = 16;

// The server's own words name neither password nor value.
[[noreturn]] void refuse(const std::string& error) {
  const bool passes = !redis_error_stays(error) || error.starts_with("NOGROUP");
  std::string advice;
  if (redis_error_is_of_login(error)) {
    advice = " (check the queue's user and password)";
  } else if (error.starts_with("WRONGTYPE")) {
    advice = " (the queue's name is in use for other data: choose another one)";
  } else if (error.find("unknown command") != error.npos) {
    advice = " (queues need Redis 6.2 or newer)";
  }
  throw RedisError(error.empty() ? "the server refused a command without a reason"
                                 : "the server reports: " + terminal_text(error) + advice,
                   !passes);
}

RedisReply copy(const redisReply& reply, int depth = 0) {
  RedisReply result;
  switch (reply.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
      result.kind =
          reply.type == REDIS_REPLY_ERROR ? RedisReply::Kind::kError : RedisReply::Kind::kText;
      result.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_INTEGER:
      result.kind = RedisReply::Kind::kNumber;
      result.number = reply.integer;
      break;
    case REDIS_REPLY_ARRAY:
      result.kind = RedisReply::Kind::kList;
      if (depth == kMostNesting) break;
      for (std::size_t i = 0; i < reply.elements; ++i)
        result.list.push_back(copy(*reply.element[i], depth + 1));
      break;
    default:
      break;
  }
  return result;
}

constexpr char kNoServer[] = "the server does not answer as Redis does";

// hiredis would ask for memory for as many elements as a server announces. How it counts them
// depends on its version.
const redisReplyObjectFunctions* default_functions = nullptr;

template <typename Count>
void* create_bounded_array(const redisReadTask* task, Count elements) {
  if (static_cast<uint64_t>(elements) > RedisConnection::kMostElements) return nullptr;
  return default_functions->createArray(task, elements);
}

using Reader = std::unique_ptr<redisReader, decltype(&redisReaderFree)>;

Reader make_reader() {
  Reader reader(redisReaderCreate(), redisReaderFree);
  if (!reader) throw std::bad_alloc();
  static redisReplyObjectFunctions bounded = [&] {
    default_functions = reader->fn;
    redisReplyObjectFunctions functions = *reader->fn;
    functions.createArray = create_bounded_array;
    return functions;
  }();
  reader->fn = &bounded;
  return reader;
}

}  // namespace

void expect(const RedisReply& reply, RedisReply::Kind kind) {
  if (reply.kind != kind) throw RedisError(kNoServer, true);
}

const RedisReply& RedisReply::operator[](std::size_t i) const {
  static const RedisReply nothing;
  return i < list.size() ? list[i] : nothing;
}

struct RedisConnection::Private {
  using Clock = std::chrono::steady_clock;

  Private(const Location& location, const std::string& address) : wire(location, address) {}

  Wire wire;
  Reader reader = make_reader();
  Clock::time_point end;  // of the patience with what was asked
  uint64_t received = 0;  // bytes of the answer under way

  void ask(const RedisCommand& command) {
    const std::string bytes = redis_command(command);
    wire.write(bytes);
    extend(bytes.size());
  }

  // A server that sends a byte now and then gains nothing.
  void extend(uint64_t bytes) { end += std::chrono::microseconds(bytes * 1'000'000 / kLeastRate); }

  RedisReply receive() {
    received = 0;
    for (;;) {
      void* reply = nullptr;
      if (redisReaderGetReply(reader.get(), &reply) != REDIS_OK) throw RedisError(kNoServer, true);
      if (reply) {
        RedisReply result = copy(*static_cast<const redisReply*>(reply));
        freeReplyObject(reply);
        return result;
      }
      wait();
    }
  }

  // Until some more bytes have come.
  void wait() {
    for (;;) {
      const std::string bytes = wire.turn();
      redisReaderFeed(reader.get(), bytes.data(), bytes.size());
      received += bytes.size();
      extend(bytes.size());
      if (received > kMostReplyBytes)
        throw RedisError("a reply has more than " + std::to_string(kMostReplyBytes >> 20) +
                             " MiB: remove the large entries from the queue, or use another queue",
                         true);
      if (!bytes.empty()) return;
      if (!wire.lost().empty()) throw RedisError(wire.lost(), wire.hopeless());
      const auto left = end - Clock::now();
      if (left.count() <= 0) throw RedisError("no reply for 10 s", false);
      pollfd file = wire.waits_for();
      poll(&file, 1, std::chrono::ceil<std::chrono::milliseconds>(left).count());
    }
  }
};

// Tries the host's addresses one after the other.
RedisConnection::RedisConnection(const RedisSettings& settings) {
  Location location = settings.location;
  location.tls_files.ca = settings.ca_file;
  std::string why;
  for (const std::string& address : look_up(location.host, nullptr, why)) {
    try {
      private_ = std::make_unique<Private>(location, address);
      const auto replies = ask_all(redis_greeting(settings.location, settings.name));
      if (replies.back().text != "PONG") throw RedisError(kNoServer, true);
      return;
    } catch (const RedisError& e) {
      if (e.hopeless) throw;
      why = e.what();
    } catch (const std::invalid_argument& e) {
      throw RedisError(e.what(), true);
    } catch (const std::runtime_error& e) {
      why = e.what();
    }
  }
  throw RedisError(why, false);
}

RedisConnection::~RedisConnection() = default;

std::vector<RedisReply> RedisConnection::ask_all(const std::vector<RedisCommand>& commands) {
  private_->end = Private::Clock::now() + kPatience;
  for (const RedisCommand& command : commands) private_->ask(command);
  std::vector<RedisReply> replies;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    replies.push_back(private_->receive());
    const RedisReply& reply = replies.back();
    if (reply.kind == RedisReply::Kind::kError && !reply.text.starts_with("BUSYGROUP"))
      refuse(reply.text);
    for (const RedisReply& one : reply.list) {  // of a transaction
      if (one.kind == RedisReply::Kind::kError) refuse(one.text);
    }
  }
  return replies;
}

}  // namespace tandem
