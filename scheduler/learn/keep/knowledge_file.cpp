// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/keep/knowledge_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "files/regular_file.h"
#include "files/replace_file.h"
#include "scheduler/learn/keep/knowledge_json.h"

namespace tandem {
namespace {

constexpr int64_t kMostBytes = 8 << 20;
constexpr int64_t kMostUnused_s = 180 * 24 * 3600LL;

bool status_of(const OwnFolder& folder, const std::string& name, struct stat& status) {
  return fstatat(folder.handle(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

KnowledgeFile read_knowledge_file(const OwnFolder& folder, const std::string& name) {
  struct stat status;
  if (!folder || (!status_of(folder, name, status) && errno == ENOENT)) return {};
  const RegularFile bytes =
      read_regular_file(folder, name, kMostKnowledgeFileBytes, Owner::kThisUser);
  if (!bytes.problem.empty()) {
    // Nobody who keeps to the rules writes so much.
    const bool long_one = bytes.problem.starts_with("is longer");
    return {long_one ? KnowledgeFile::State::damaged : KnowledgeFile::State::untouchable,
            {},
            bytes.problem};
  }
  KnowledgeText text = read_knowledge(bytes.bytes);
  if (text.problem.empty()) return {KnowledgeFile::State::good, std::move(text.known), {}};
  return {text.other_schema ? KnowledgeFile::State::untouchable : KnowledgeFile::State::damaged,
          {},
          text.problem};
}

std::vector<std::string> knowledge_files(const OwnFolder& folder) {
  std::vector<std::string> found;
  if (!folder) return found;
  for (std::string& name : folder.names())
    if (name.ends_with(kKnowledgeEnding)) found.push_back(std::move(name));
  std::ranges::sort(found);
  return found;
}

void mark_used(const OwnFolder& folder, const std::string& name, int64_t now_s) {
  const timespec now{static_cast<time_t>(now_s), 0};
  const timespec times[] = {now, now};
  (void)utimensat(folder.handle(), name.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

void tidy_knowledge(const OwnFolder& folder, std::span<const std::string> written, int64_t now_s) {
  struct Old {
    std::string name;
    int64_t used_s, bytes;
  };
  std::vector<Old> all;
  int64_t bytes = 0;
  const auto remove = [&](const std::string& name) {
    return unlinkat(folder.handle(), name.c_str(), 0) == 0;
  };
  for (const std::string& name : folder.names()) {
    struct stat status;
    if (!status_of(folder, name, status) || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
      continue;
    // Left by a process that was killed.
    if (name.starts_with(kUnfinishedPrefix)) remove(name);
    if (!name.ends_with(kKnowledgeEnding) && !name.ends_with(kBadKnowledgeEnding)) continue;
    all.push_back({name, status.st_mtime, status.st_size});
    bytes += status.st_size;
  }
  std::ranges::sort(all, {}, &Old::used_s);
  for (const Old& old : all) {
    if (bytes <= kMostBytes && old.used_s >= now_s - kMostUnused_s) continue;
    if (std::ranges::find(written, old.name) != written.end()) continue;
    if (old.name.ends_with(kKnowledgeEnding) &&
        read_knowledge_file(folder, old.name).state == KnowledgeFile::State::untouchable)
      continue;
    if (remove(old.name)) bytes -= old.bytes;
  }
}

}  // namespace tandem
