// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/keep/knowledge_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "files/cache_folder.h"
#include "files/file_lock.h"
#include "files/hash.h"
#include "files/replace_file.h"
#include "scheduler/learn/keep/knowledge_file.h"
#include "scheduler/learn/keep/knowledge_json.h"

namespace tandem {
namespace {

using Missing = OwnFolder::Missing;

constexpr std::chrono::seconds kMostWait{10};
constexpr const char* kLock = ".lock";

// The part of conditions that names a file.
bool same_file(const Conditions& one, const Conditions& other) {
  return one.stages == other.stages && one.format == other.format &&
         one.processor == other.processor && one.device == other.device;
}

std::string error_text() { return std::strerror(errno); }

// Two sets of conditions may share a file by chance: each entry has its conditions in full.
std::string file_of(const Conditions& conditions) {
  std::string key;
  for (const std::string* part :
       {&conditions.stages, &conditions.format, &conditions.processor, &conditions.device})
    key += *part + '\n';
  char name[32];
  std::snprintf(name, sizeof name, "%016" PRIx64 "%s", hash_of(key), kKnowledgeEnding);
  return name;
}

}  // namespace

std::string KnowledgeFolder::default_path() {
  const std::string cache = cache_path();
  return cache.empty() ? cache : (std::filesystem::path(cache) / "knowledge").string();
}

int64_t KnowledgeFolder::wall_clock_s() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch())
      .count();
}

KnowledgeFolder::KnowledgeFolder(std::string path, std::function<int64_t()> now_s)
    : path_(std::move(path)), now_s_(std::move(now_s)) {}

OwnFolder KnowledgeFolder::open(Missing missing) const {
  OwnFolder folder(path_, missing);
  if (!folder.problem().empty()) {
    const std::string text = folder.problem() + "; what is learnt is not kept";
    messages_->tell_once(text, text);
  }
  return folder;
}

void KnowledgeFolder::tell(const std::string& file, const std::string& problem) const {
  const std::string text = file + ": " + problem;
  messages_->tell_once(text, text);
}

KnowledgeFile KnowledgeFolder::read_or_set_aside(const OwnFolder& folder, const std::string& name,
                                                 bool locked) const {
  KnowledgeFile found = read_knowledge_file(folder, name);
  const std::string file = path_ + "/" + name;
  if (found.state == KnowledgeFile::State::untouchable)
    tell(file, found.problem + "; it stays as it is");
  if (found.state != KnowledgeFile::State::damaged) return found;
  if (!locked) {
    // Another process may have put a good one there meanwhile.
    const FileLock lock(folder.handle(), kLock, kMostWait);
    if (lock.problem().empty()) return read_or_set_aside(folder, name, true);
  }
  const std::string bad = name + kBadKnowledgeEnding;
  if (locked && renameat(folder.handle(), name.c_str(), folder.handle(), bad.c_str()) == 0) {
    tell(file,
         "is damaged (" + found.problem + "), is now called " + bad + ", and will be learnt anew");
    return {};
  }
  tell(file, "is damaged (" + found.problem + ") and cannot be renamed; remove it");
  found.state = KnowledgeFile::State::untouchable;
  return found;
}

std::vector<Known> KnowledgeFolder::load(const Conditions& conditions) try {
  const OwnFolder folder = open(Missing::kStays);
  const std::string name = file_of(conditions);
  KnowledgeFile found = read_or_set_aside(folder, name, false);
  std::erase_if(found.known,
                [&](const Known& known) { return !same_file(known.conditions, conditions); });
  if (!found.known.empty()) mark_used(folder, name, now_s_());
  return std::move(found.known);
} catch (const std::exception& error) {
  tell(path_, error.what());
  return {};
}

bool KnowledgeFolder::knows_work(const Conditions& conditions) const try {
  const OwnFolder folder(path_, Missing::kStays);
  return std::ranges::any_of(knowledge_files(folder), [&](const std::string& name) {
    return std::ranges::any_of(read_knowledge_file(folder, name).known, [&](const Known& known) {
      Conditions with_device = conditions;
      with_device.device = known.conditions.device;
      return same_file(known.conditions, with_device);
    });
  });
} catch (const std::exception&) {
  return false;
}

// True when it is written; without entries there is no file. Where they are too many the oldest
// trainings go, but never `keep`.
bool KnowledgeFolder::write(const OwnFolder& folder, const std::string& name,
                            std::vector<Known> known, const Known* keep) const {
  const std::string file = path_ + "/" + name;
  if (known.empty()) {
    if (unlinkat(folder.handle(), name.c_str(), 0) == 0 || errno == ENOENT) return true;
    tell(file, "cannot be removed: " + error_text());
    return false;
  }
  std::string text = write_knowledge(known);
  while (text.size() > kMostKnowledgeFileBytes && known.size() > 1) {
    known.erase(std::ranges::min_element(known, {}, [&](const Known& one) {
      return keep && one.conditions == keep->conditions ? INT64_MAX : one.trained_s;
    }));
    text = write_knowledge(known);
  }
  const std::string problem = replace_file(folder, name, text, Durable::kYes);
  if (problem.empty()) {
    mark_used(folder, name, now_s_());
    return true;
  }
  tell(file, problem + "; what is learnt is not kept");
  return false;
}

// Under the lock.
void KnowledgeFolder::store_in(const OwnFolder& folder, const std::string& name,
                               std::span<const Known* const> added, Stored& stored) const {
  KnowledgeFile found = read_or_set_aside(folder, name, true);
  if (found.state == KnowledgeFile::State::untouchable) {
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
  (write(folder, name, std::move(known), added.back()) ? stored.kept : stored.failed) += kept;
}

KnowledgeFolder::Stored KnowledgeFolder::store(std::span<const Known> known) try {
  Stored stored;
  std::map<std::string, std::vector<const Known*>> by_file;
  for (const Known& one : known) {
    // An entry that cannot be read back would make a damaged file.
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
  const OwnFolder folder = open(Missing::kMake);
  if (!folder) return fail({});
  const FileLock lock(folder.handle(), kLock, kMostWait);
  if (!lock.problem().empty()) return fail(lock.problem());
  std::vector<std::string> written;
  for (const auto& [name, added] : by_file) {
    store_in(folder, name, added, stored);
    written.push_back(name);
  }
  tidy_knowledge(folder, written, now_s_());
  return stored;
} catch (const std::exception& error) {
  tell(path_, error.what());
  return {0, 0, static_cast<int>(known.size())};
}

std::vector<Known> KnowledgeFolder::list() try {
  std::vector<Known> all;
  const OwnFolder folder = open(Missing::kStays);
  for (const std::string& name : knowledge_files(folder))
    std::ranges::move(read_or_set_aside(folder, name, false).known, std::back_inserter(all));
  std::ranges::sort(all, {}, &Known::conditions);
  return all;
} catch (const std::exception& error) {
  tell(path_, error.what());
  return {};
}

std::vector<Known> KnowledgeFolder::forget(const std::function<bool(const Known&)>& chosen) try {
  std::vector<Known> gone;
  const OwnFolder folder = open(Missing::kStays);
  const std::vector<std::string> all = knowledge_files(folder);
  if (all.empty()) return gone;
  const FileLock lock(folder.handle(), kLock, kMostWait);
  if (!lock.problem().empty()) {
    tell(path_, lock.problem() + "; nothing is forgotten");
    return gone;
  }
  for (const std::string& name : all) {
    std::vector<Known> known = read_or_set_aside(folder, name, true).known;
    const auto stays = std::stable_partition(known.begin(), known.end(), std::not_fn(chosen));
    std::vector<Known> going(std::make_move_iterator(stays), std::make_move_iterator(known.end()));
    known.erase(stays, known.end());
    if (!going.empty() && write(folder, name, std::move(known), nullptr))
      std::ranges::move(going, std::back_inserter(gone));
  }
  std::ranges::sort(gone, {}, &Known::conditions);
  return gone;
} catch (const std::exception& error) {
  tell(path_, error.what());
  return {};
}

}  // namespace tandem
