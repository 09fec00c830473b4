// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "gst/publish/location.h"

namespace tandem {

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

}  // namespace tandem
