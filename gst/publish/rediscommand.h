// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <hiredis/hiredis.h>

#include <new>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace tandem
