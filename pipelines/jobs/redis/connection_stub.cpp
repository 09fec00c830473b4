// SPDX-License-Identifier: LGPL-2.1-or-later
// Builds without hiredis link this file.
#include "gst/publish/brokers.h"
#include "pipelines/jobs/redis/connection.h"

namespace tandem {

const RedisReply& RedisReply::operator[](std::size_t i) const { return list[i]; }

void expect(const RedisReply&, RedisReply::Kind) {}

struct RedisConnection::Private {};

RedisConnection::RedisConnection(const RedisSettings&) {
  throw RedisError(kRedisProtocol.missing, true);
}

RedisConnection::~RedisConnection() = default;

std::vector<RedisReply> RedisConnection::ask_all(const std::vector<RedisCommand>&) { return {}; }

}  // namespace tandem
