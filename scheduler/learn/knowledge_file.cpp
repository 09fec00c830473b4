// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/knowledge_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "files/regular_file.h"
#include "files/replace_file.h"
#include "scheduler/learn/knowledge_json.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMostBytes = 8u << 20;
constexpr int64_t kMostUnused_s = 180 * 24 * 3600LL;

// A regular file of this user.
bool own_file(const fs::path& file, struct stat& status) {
  return lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

}  // namespace

KnowledgeFile read_knowledge_file(const fs::path& file) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) return {};
  const RegularFile bytes =
      read_regular_file(file, kMostKnowledgeFileBytes, Links::kRefuse, Owner::kThisUser);
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

void mark_used(const fs::path& file, int64_t now_s) {
  const timespec now{static_cast<time_t>(now_s), 0};
  const timespec times[] = {now, now};
  (void)utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

void tidy_knowledge(const fs::path& folder, std::span<const fs::path> written, int64_t now_s) {
  struct Old {
    fs::path file;
    int64_t used_s;
    uintmax_t bytes;
  };
  std::vector<Old> all;
  uintmax_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& file = entry->path();
    struct stat status;
    if (!own_file(file, status)) continue;
    // Left by a process that was killed.
    if (file.filename().string().starts_with(kUnfinishedPrefix)) unlink(file.c_str());
    if (file.extension() != kKnowledgeEnding && file.extension() != kBadKnowledgeEnding) continue;
    all.push_back({file, status.st_mtime, static_cast<uintmax_t>(status.st_size)});
    bytes += all.back().bytes;
  }
  std::ranges::sort(all, {}, &Old::used_s);
  for (const Old& old : all) {
    if (bytes <= kMostBytes && old.used_s >= now_s - kMostUnused_s) continue;
    if (std::ranges::find(written, old.file) != written.end()) continue;
    if (old.file.extension() == kKnowledgeEnding &&
        read_knowledge_file(old.file).state == KnowledgeFile::State::untouchable)
      continue;
    if (unlink(old.file.c_str()) == 0) bytes -= old.bytes;
  }
}

}  // namespace tandem
