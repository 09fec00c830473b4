// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <hiredis/hiredis.h>

#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "gst/publish/location.h"

namespace tandem {

/// The words of a command as Redis' protocol has them.
template <typename Words>
std::string redis_command(const Words& words) {
  std::vector<const char*> texts;
  std::vector<size_t> sizes;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* text = nullptr;
  const int length =
      redisFormatCommandArgv(&text, static_cast<int>(texts.size()), texts.data(), sizes.data());
  if (length < 0) throw std::bad_alloc();
  std::string bytes(text, static_cast<std::size_t>(length));
  redisFreeCommand(text);
  return bytes;
}

/// The commands that begin a connection: the login of the location, the client's name in CLIENT
/// LIST unless it is empty, and PING, which a Redis server answers by PONG.
inline std::vector<std::vector<std::string>> redis_greeting(const Location& location,
                                                            const std::string& client_name) {
  std::vector<std::vector<std::string>> commands;
  if (location.password && !location.user.empty()) {
    commands.push_back({"AUTH", location.user, *location.password});
  } else if (location.password) {
    commands.push_back({"AUTH", *location.password});
  }
  if (!client_name.empty()) commands.push_back({"CLIENT", "SETNAME", client_name});
  commands.push_back({"PING"});
  return commands;
}

/// Whether a Redis server will report the same error next time. Errors pass while it loads its
/// file, is out of memory, cannot write to disk or is a replica.
constexpr bool redis_error_stays(std::string_view error) {
  for (const std::string_view passing :
       {"LOADING", "OOM", "MISCONF", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY",
        "NOREPLICAS", "UNKILLABLE", "ERR max number of clients"}) {
    if (error.starts_with(passing)) return false;
  }
  return true;
}

/// The server requires another user or password.
constexpr bool redis_error_is_of_login(std::string_view error) {
  return error.starts_with("WRONGPASS") || error.find("AUTH") != error.npos;
}

}  // namespace tandem
