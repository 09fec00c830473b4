// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/program_cache/program_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <exception>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "files/cache_folder.h"
#include "files/hash.h"
#include "files/regular_file.h"
#include "files/replace_file.h"

namespace tandem {
namespace {

// A file is this line, the key, a zero byte, the program, and the 64-bit hash of all that.
constexpr std::string_view kMagic = "tandem program 2\n";
constexpr std::size_t kHashBytes = 8;
// Far more than a program of ours takes: what is longer is not ours.
constexpr std::size_t kMostBytes = 64u << 20;
// Hundreds of programs of a driver that compiles for several widths of vectors.
constexpr int64_t kMostBytesInAll = 512LL << 20;
// Compilers have two minutes. A killed process left unfinished files that are older.
constexpr time_t kUnfinishedFor_s = 3600;

std::string name_of(const std::string& key) {
  char name[32];
  std::snprintf(name, sizeof name, "%016" PRIx64 ".bin", hash_of(key));
  return name;
}

std::string hash_bytes(std::string_view bytes) {
  const uint64_t value = hash_of(bytes);
  std::string result;
  for (std::size_t i = 0; i < kHashBytes; ++i) result += static_cast<char>(value >> (8 * i));
  return result;
}

void tidy(const OwnFolder& folder) {
  struct Entry {
    std::string name;
    time_t used;
    int64_t bytes;
  };
  std::vector<Entry> entries;
  int64_t bytes = 0;
  const time_t now = std::time(nullptr);
  for (const std::string& name : folder.names()) {
    struct stat status;
    if (fstatat(folder.handle(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (name.starts_with(kUnfinishedPrefix)) {
      if (now - status.st_mtime > kUnfinishedFor_s) folder.remove(name);
    } else if (S_ISREG(status.st_mode)) {
      entries.push_back({name, status.st_mtime, status.st_size});
      bytes += status.st_size;
    }
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (bytes <= kMostBytesInAll) return;
    folder.remove(entry.name);
    bytes -= entry.bytes;
  }
}

/// Messages of all threads to the user about the cache.
struct Notices {
  std::mutex mutex;
  std::set<std::string> told;
  std::string next;
};

Notices& notices() {
  static Notices all;
  return all;
}

void tell_once(const std::string& problem) {
  const std::string text =
      "Compiled programs are not cached, so each start compiles them again: " + problem +
      ". TANDEM_CACHE_DIR can name another folder.";
  const std::lock_guard lock(notices().mutex);
  if (notices().told.insert(text).second) notices().next = text;
}

}  // namespace

ProgramCache::ProgramCache() noexcept {
  try {
    const std::string path = cache_path();
    folder_ =
        OwnFolder(path, OwnFolder::Missing::kMake).folder("programs", OwnFolder::Missing::kMake);
    problem_ = path.empty() ? "HOME is not set to a folder" : folder_.problem();
    if (!problem_.empty()) tell_once(problem_);
  } catch (const std::exception&) {
    folder_ = {};
  }
}

std::string ProgramCache::load(const std::string& key) const noexcept try {
  if (!folder_) return {};
  const std::string name = name_of(key);
  const std::string file =
      read_regular_file(folder_, name, kMostBytes, Owner::kThisUserAlone).bytes;
  if (file.empty()) return {};
  const std::string header = std::string(kMagic) + key + '\0';
  const std::size_t most = std::max(file.size(), kHashBytes);
  const std::string_view body(file.data(), most - kHashBytes);
  if (!body.starts_with(header) || !file.ends_with(hash_bytes(body))) {
    folder_.remove(name);
    return {};
  }
  // The time of modification is that of the last use.
  (void)utimensat(folder_.handle(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return std::string(body.substr(header.size()));
} catch (const std::exception&) {
  return {};  // no memory for it, say
}

void ProgramCache::store(const std::string& key, const std::string& bytes) const noexcept try {
  if (!folder_ || bytes.empty()) return;
  std::string file = std::string(kMagic) + key + '\0' + bytes;
  file += hash_bytes(file);
  if (file.size() > kMostBytes) return;
  (void)replace_file(folder_, name_of(key), file, Durable::kNo);
  tidy(folder_);
} catch (const std::exception&) {
  // Not kept, which costs the next start its compile time.
}

std::string ProgramCache::take_notice() {
  const std::lock_guard lock(notices().mutex);
  return std::exchange(notices().next, {});
}

}  // namespace tandem
