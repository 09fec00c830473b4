// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/knowledge_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>

#include "files/cache_folder.h"
#include "files/file_lock.h"
#include "files/hash.h"
#include "files/regular_file.h"
#include "files/replace_file.h"
#include "scheduler/learn/knowledge_json.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFileBytes = 2u << 20;
constexpr uintmax_t kMostBytes = 8u << 20;
constexpr int64_t kMostUnused_s = 180 * 24 * 3600LL;
constexpr std::chrono::seconds kMostWait{10};
constexpr const char* kEnding = ".json";
constexpr const char* kBadEnding = ".bad";

// The part of conditions that names a file.
bool same_file(const Conditions& one, const Conditions& other) {
  return one.stages == other.stages && one.format == other.format &&
         one.processor == other.processor && one.device == other.device;
}

std::string error_text() { return std::strerror(errno); }

// A regular file of this user, or nothing.
bool own_file(const fs::path& file, struct stat& status) {
  return lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

}  // namespace

std::string KnowledgeFolder::default_path() {
  const std::string cache = cache_path();
  return cache.empty() ? cache : (fs::path(cache) / "knowledge").string();
}

int64_t KnowledgeFolder::wall_clock_s() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch())
      .count();
}

KnowledgeFolder::KnowledgeFolder(std::string path, std::function<int64_t()> now_s)
    : path_(std::move(path)), now_s_(std::move(now_s)) {}

// Two sets of conditions may share a file by chance: each entry has its conditions in full.
fs::path KnowledgeFolder::file_of(const Conditions& conditions) const {
  std::string key;
  for (const std::string* part :
       {&conditions.stages, &conditions.format, &conditions.processor, &conditions.device})
    key += *part + '\n';
  char name[32];
  std::snprintf(name, sizeof name, "%016" PRIx64 "%s", hash_of(key), kEnding);
  return fs::path(path_) / name;
}

std::vector<fs::path> KnowledgeFolder::files() const {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == kEnding) found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

void KnowledgeFolder::tell(const fs::path& file, const std::string& problem) const {
  const std::string text = file.string() + ": " + problem;
  messages_->tell_once(text, text);
}

KnowledgeFolder::File KnowledgeFolder::read(const fs::path& file) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) return {};
  const RegularFile bytes =
      read_regular_file(file, kMostFileBytes, Links::kRefuse, Owner::kThisUser);
  if (!bytes.problem.empty()) {
    // Nobody who keeps to the rules writes so much.
    const bool long_one = bytes.problem.starts_with("is longer");
    return {long_one ? State::damaged : State::untouchable, {}, bytes.problem};
  }
  KnowledgeText text = read_knowledge(bytes.bytes);
  if (text.problem.empty()) return {State::good, std::move(text.known), {}};
  return {text.other_schema ? State::untouchable : State::damaged, {}, text.problem};
}

KnowledgeFolder::File KnowledgeFolder::read_or_set_aside(const fs::path& file, bool locked) const {
  File found = read(file);
  if (found.state == State::untouchable) tell(file, found.problem + "; it stays as it is");
  if (found.state != State::damaged) return found;
  if (!locked) {
    // Another process may have put a good one there meanwhile.
    const FileLock lock(path_ + "/.lock", kMostWait);
    if (lock.problem().empty()) return read_or_set_aside(file, true);
  }
  const std::string bad = file.string() + kBadEnding;
  if (locked && std::rename(file.c_str(), bad.c_str()) == 0) {
    tell(file, "is damaged (" + found.problem + "), is now called " +
                   fs::path(bad).filename().string() + ", and will be learnt anew");
    return {};
  }
  tell(file, "is damaged (" + found.problem + ") and cannot be renamed; remove it");
  found.state = State::untouchable;
  return found;
}

void KnowledgeFolder::use(const fs::path& file) const {
  const timespec now{static_cast<time_t>(now_s_()), 0};
  const timespec times[] = {now, now};
  (void)utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

std::vector<Known> KnowledgeFolder::load(const Conditions& conditions) try {
  if (path_.empty()) return {};
  const fs::path file = file_of(conditions);
  File found = read_or_set_aside(file, false);
  std::erase_if(found.known,
                [&](const Known& known) { return !same_file(known.conditions, conditions); });
  if (!found.known.empty()) use(file);
  return std::move(found.known);
} catch (const std::exception& error) {
  tell(path_, error.what());
  return {};
}

bool KnowledgeFolder::make_folder() const {
  std::error_code error;
  const fs::path folder(path_);
  fs::create_directories(folder.parent_path(), error);
  if (mkdir(path_.c_str(), S_IRWXU) == 0 || errno == EEXIST) return true;
  tell(folder, "cannot be made: " + error_text() + "; what is learnt is not kept");
  return false;
}

// True when it is written; without entries there is no file. Where they are too many the oldest
// trainings go, but never `keep`.
bool KnowledgeFolder::write(const fs::path& file, std::vector<Known> known,
                            const Known* keep) const {
  if (known.empty()) {
    if (unlink(file.c_str()) == 0 || errno == ENOENT) return true;
    tell(file, "cannot be removed: " + error_text());
    return false;
  }
  std::string text = write_knowledge(known);
  while (text.size() > kMostFileBytes && known.size() > 1) {
    known.erase(std::ranges::min_element(known, {}, [&](const Known& one) {
      return keep && one.conditions == keep->conditions ? INT64_MAX : one.trained_s;
    }));
    text = write_knowledge(known);
  }
  const std::string problem = replace_file(file, text, Durable::kYes);
  if (problem.empty()) {
    use(file);
    return true;
  }
  tell(file, problem + "; what is learnt is not kept");
  return false;
}

// Under the lock.
void KnowledgeFolder::store_in(const fs::path& file, std::span<const Known* const> added,
                               Stored& stored) const {
  File found = read_or_set_aside(file, true);
  if (found.state == State::untouchable) {
    stored.failed += static_cast<int>(added.size());
    return;
  }
  // A clock that was wrong once must not keep what is new out for ever.
  const int64_t now_s = now_s_();
  const auto age = [&](const Known& known) { return std::min(known.trained_s, now_s); };
  std::vector<Known>& known = found.known;
  int kept = 0;
  for (const Known* one : added) {
    const auto same = [&](const Known& other) { return other.conditions == one->conditions; };
    const bool newest = std::ranges::none_of(
        known, [&](const Known& other) { return same(other) && age(other) > age(*one); });
    if (!newest) {
      ++stored.older;
      continue;
    }
    std::erase_if(known, same);
    known.push_back(*one);
    ++kept;
  }
  if (kept == 0) return;
  std::ranges::sort(known, {}, &Known::conditions);
  (write(file, std::move(known), added.back()) ? stored.kept : stored.failed) += kept;
}

KnowledgeFolder::Stored KnowledgeFolder::store(std::span<const Known> known) try {
  Stored stored;
  std::map<fs::path, std::vector<const Known*>> by_file;
  for (const Known& one : known) {
    // What could not be read back would be a damaged file.
    std::string problem;
    try {
      problem = read_knowledge(write_knowledge({&one, 1})).problem;
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (problem.empty()) {
      by_file[file_of(one.conditions)].push_back(&one);
    } else {
      tell(path_, "what was learnt is not kept: " + problem);
      ++stored.failed;
    }
  }
  if (by_file.empty()) return stored;
  const auto fail = [&](const std::string& problem) {
    if (!problem.empty()) tell(path_, problem + "; what is learnt is not kept");
    stored.failed = static_cast<int>(known.size());
    return stored;
  };
  if (path_.empty() || !make_folder()) return fail({});
  const FileLock lock(path_ + "/.lock", kMostWait);
  if (!lock.problem().empty()) return fail(lock.problem());
  std::vector<fs::path> written;
  for (const auto& [file, added] : by_file) {
    store_in(file, added, stored);
    written.push_back(file);
  }
  tidy(written);
  return stored;
} catch (const std::exception& error) {
  tell(path_, error.what());
  return {0, 0, static_cast<int>(known.size())};
}

std::vector<Known> KnowledgeFolder::list() try {
  std::vector<Known> all;
  for (const fs::path& file : files())
    std::ranges::move(read_or_set_aside(file, false).known, std::back_inserter(all));
  std::ranges::sort(all, {}, &Known::conditions);
  return all;
} catch (const std::exception& error) {
  tell(path_, error.what());
  return {};
}

std::vector<Known> KnowledgeFolder::forget(const std::function<bool(const Known&)>& chosen) try {
  std::vector<Known> gone;
  const std::vector<fs::path> all = files();
  if (all.empty()) return gone;
  const FileLock lock(path_ + "/.lock", kMostWait);
  if (!lock.problem().empty()) {
    tell(path_, lock.problem() + "; nothing is forgotten");
    return gone;
  }
  for (const fs::path& file : all) {
    std::vector<Known> known = read_or_set_aside(file, true).known;
    const auto stays = std::stable_partition(known.begin(), known.end(), std::not_fn(chosen));
    std::vector<Known> going(std::make_move_iterator(stays), std::make_move_iterator(known.end()));
    known.erase(stays, known.end());
    if (!going.empty() && write(file, std::move(known), nullptr))
      std::ranges::move(going, std::back_inserter(gone));
  }
  std::ranges::sort(gone, {}, &Known::conditions);
  return gone;
} catch (const std::exception& error) {
  tell(path_, error.what());
  return {};
}

// Under the lock: nobody else is writing.
void KnowledgeFolder::tidy(const std::vector<fs::path>& written) const {
  struct Old {
    fs::path file;
    int64_t used_s;
    uintmax_t bytes;
  };
  std::vector<Old> all;
  uintmax_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& file = entry->path();
    struct stat status;
    if (!own_file(file, status)) continue;
    // Left by a process that was killed.
    if (file.filename().string().starts_with(kUnfinishedPrefix)) unlink(file.c_str());
    if (file.extension() != kEnding && file.extension() != kBadEnding) continue;
    all.push_back({file, status.st_mtime, static_cast<uintmax_t>(status.st_size)});
    bytes += all.back().bytes;
  }
  std::ranges::sort(all, {}, &Old::used_s);
  for (const Old& old : all) {
    if (bytes <= kMostBytes && old.used_s >= now_s_() - kMostUnused_s) continue;
    if (std::ranges::find(written, old.file) != written.end()) continue;
    if (old.file.extension() == kEnding && read(old.file).state == State::untouchable) continue;
    if (unlink(old.file.c_str()) == 0) bytes -= old.bytes;
  }
}

}  // namespace tandem
