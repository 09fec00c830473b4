// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/redis_connection.h"

#include <gio/gio.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <utility>

#include "gst/publish/rediserror.h"

namespace tandem {
namespace {

constexpr int kMostNesting = 16;

template <typename T>
struct Unref {
  void operator()(T* object) const { g_object_unref(object); }
};
template <typename T>
using Owned = std::unique_ptr<T, Unref<T>>;

[[noreturn]] void lose(GError* error, bool hopeless = false) {
  const std::string what = error ? error->message : "the connection failed";
  g_clear_error(&error);
  throw RedisError(what, hopeless);
}

// The server's own words name neither password nor value.
[[noreturn]] void refuse(const std::string& error) {
  const bool passes = !redis_error_stays(error) || error.starts_with("NOGROUP");
  std::string advice;
  if (error.starts_with("NOAUTH") || error.starts_with("WRONGPASS") ||
      error.find("AUTH") != error.npos) {
    advice = " (check the queue's user and password)";
  } else if (error.starts_with("WRONGTYPE")) {
    advice = " (the queue's name is in use for something else)";
  } else if (error.find("unknown command") != error.npos) {
    advice = " (queues need Redis 6.2 or newer)";
  }
  throw RedisError("the server says: " + error + advice, !passes);
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

void append(const RedisCommand& command, std::string& bytes) {
  std::vector<const char*> words;
  std::vector<size_t> sizes;
  for (const std::string& word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* text = nullptr;
  const int length =
      redisFormatCommandArgv(&text, static_cast<int>(words.size()), words.data(), sizes.data());
  if (length < 0) throw std::bad_alloc();
  bytes.append(text, static_cast<std::size_t>(length));
  redisFreeCommand(text);
}

// Trusts the settings' certificates alone, where there are some.
void set_trust(GSocketClient*, GSocketClientEvent event, GSocketConnectable*, GIOStream* stream,
               gpointer database) {
  if (event == G_SOCKET_CLIENT_TLS_HANDSHAKING && database)
    g_tls_connection_set_database(G_TLS_CONNECTION(stream), G_TLS_DATABASE(database));
}

Owned<GSocketConnection> connect(const RedisSettings& settings) {
  const Location& location = settings.location;
  GError* error = nullptr;
  const Owned<GSocketClient> client(g_socket_client_new());
  g_socket_client_set_enable_proxy(client.get(), FALSE);
  g_socket_client_set_timeout(client.get(), RedisConnection::kPatience.count());
  Owned<GTlsDatabase> database;
  if (location.tls) {
    if (!g_tls_backend_supports_tls(g_tls_backend_get_default()))
      throw RedisError("TLS needs the Debian package glib-networking", true);
    g_socket_client_set_tls(client.get(), TRUE);
    if (!settings.ca_file.empty()) {
      const std::unique_ptr<char, decltype(&g_free)> path(
          g_canonicalize_filename(settings.ca_file.c_str(), nullptr), g_free);
      database.reset(g_tls_file_database_new(path.get(), &error));
      if (!database) lose(error, true);
    }
    g_signal_connect(client.get(), "event", G_CALLBACK(set_trust), database.get());
  }
  const Owned<GSocketConnectable> address(
      g_network_address_new(location.host.c_str(), location.port));
  Owned<GSocketConnection> connection(
      g_socket_client_connect(client.get(), address.get(), nullptr, &error));
  if (!connection) {
    const bool untrusted = g_error_matches(error, G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE);
    lose(error, untrusted);
  }
  GSocket* socket = g_socket_connection_get_socket(connection.get());
  g_socket_set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1, nullptr);
  g_socket_set_keepalive(socket, TRUE);
  return connection;
}

}  // namespace

const RedisReply& RedisReply::operator[](std::size_t i) const {
  static const RedisReply nothing;
  return i < list.size() ? list[i] : nothing;
}

struct RedisConnection::Private {
  Owned<GSocketConnection> connection;
  std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader{redisReaderCreate(),
                                                                  redisReaderFree};

  void send(const std::string& bytes) {
    GError* error = nullptr;
    GOutputStream* out = g_io_stream_get_output_stream(G_IO_STREAM(connection.get()));
    if (!g_output_stream_write_all(out, bytes.data(), bytes.size(), nullptr, nullptr, &error))
      lose(error);
  }

  RedisReply receive() {
    for (;;) {
      void* reply = nullptr;
      if (redisReaderGetReply(reader.get(), &reply) != REDIS_OK)
        throw RedisError("what answers is no Redis server", true);
      if (reply) {
        RedisReply result = copy(*static_cast<const redisReply*>(reply));
        freeReplyObject(reply);
        return result;
      }
      char bytes[16384];
      GError* error = nullptr;
      GInputStream* in = g_io_stream_get_input_stream(G_IO_STREAM(connection.get()));
      const gssize count = g_input_stream_read(in, bytes, sizeof bytes, nullptr, &error);
      if (count < 0) lose(error);
      if (count == 0) throw RedisError("the server has closed the connection", false);
      redisReaderFeed(reader.get(), bytes, static_cast<std::size_t>(count));
    }
  }
};

RedisConnection::RedisConnection(const RedisSettings& settings)
    : private_(std::make_unique<Private>()) {
  private_->connection = connect(settings);
  const Location& location = settings.location;
  std::vector<RedisCommand> greetings;
  if (location.password && !location.user.empty())
    greetings.push_back({"AUTH", location.user, *location.password});
  else if (location.password)
    greetings.push_back({"AUTH", *location.password});
  greetings.push_back({"CLIENT", "SETNAME", settings.name});
  greetings.push_back({"PING"});
  ask_all(greetings);
}

RedisConnection::~RedisConnection() = default;

std::vector<RedisReply> RedisConnection::ask_all(const std::vector<RedisCommand>& commands) {
  std::string bytes;
  for (const RedisCommand& command : commands) append(command, bytes);
  private_->send(bytes);
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
