// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/code_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "files/cache_folder.h"
#include "files/hash.h"
#include "files/regular_file.h"
#include "files/replace_file.h"

namespace tandem {
namespace {

// A file is this line, the key, a zero byte, the code, and the hash of all that.
constexpr std::string_view kMagic = "tandem stage 1\n";
constexpr std::size_t kMostCodeBytes = 16u << 20;

std::string hash_text(std::string_view bytes) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, hash_of(bytes));
  return text;
}

// What is wrong with the folder that is there; empty: nothing.
std::string problem_of(const std::string& folder) {
  struct stat status;
  if (lstat(folder.c_str(), &status) != 0)
    return "cannot be used: " + std::string(std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return "is no folder";
  if (status.st_uid != geteuid()) return "belongs to another user";
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return "is open to other users (its mode is not 0700)";
  return {};
}

}  // namespace

CodeCache::CodeCache() {
  const std::string cache = cache_folder();
  if (cache.empty()) {
    problem_ = "there is no cache folder that can be written";
    return;
  }
  const std::string folder = cache + "/stages";
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    problem_ = "the folder " + folder + " cannot be made: " + std::strerror(errno);
    return;
  }
  if (const std::string problem = problem_of(folder); !problem.empty()) {
    problem_ = "the folder " + folder + " " + problem;
    return;
  }
  folder_ = folder;
}

std::string CodeCache::load(const std::string& key) const {
  if (folder_.empty()) return {};
  const std::string file = read_regular_file(folder_ + "/" + hash_text(key) + ".so", kMostCodeBytes,
                                             Links::kRefuse, Owner::kThisUser)
                               .bytes;
  const std::string header = std::string(kMagic) + key + '\0';
  const std::size_t hash_bytes = hash_text("").size();
  if (file.size() < header.size() + hash_bytes || !file.starts_with(header)) return {};
  const std::string_view body(file.data(), file.size() - hash_bytes);
  if (!file.ends_with(hash_text(body))) return {};
  return std::string(body.substr(header.size()));
}

void CodeCache::store(const std::string& key, const std::string& bytes) const {
  if (folder_.empty()) return;
  std::string file = std::string(kMagic) + key + '\0' + bytes;
  file += hash_text(file);
  if (file.size() > kMostCodeBytes) return;
  // What is not kept costs the next start its compile time.
  (void)replace_file(folder_ + "/" + hash_text(key) + ".so", file, Durable::kNo);
}

}  // namespace tandem
