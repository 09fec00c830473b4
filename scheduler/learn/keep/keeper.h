// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "scheduler/learn/keep/knowledge_folder.h"

namespace tandem {

/// Reads and writes a folder of knowledge on a thread of its own, so that no stream waits for a
/// disk or for another process. Any number of threads may use it.
class KnowledgeKeeper {
 public:
  /// The one that this process has for the folder, made when there is none. Null for an empty path.
  static std::shared_ptr<KnowledgeKeeper> of_process(const std::string& folder);

  explicit KnowledgeKeeper(const std::string& folder);
  /// Finishes what is to be stored, which takes as long as the disk does, and up to 10 s while
  /// other processes write.
  ~KnowledgeKeeper();
  KnowledgeKeeper(const KnowledgeKeeper&) = delete;

  /// As KnowledgeFolder::load(). Waits for it no longer than `patience`; nothing is known then.
  std::vector<Known> recall(const Conditions& conditions, std::chrono::milliseconds patience);
  /// As KnowledgeFolder::knows_work(), likewise.
  bool knows(const Conditions& conditions, std::chrono::milliseconds patience);
  /// Stores it some time later, or drops it where kMostWaiting tasks wait already.
  void keep(Known known);

  /// As KnowledgeFolder::take_messages().
  std::vector<std::string> take_messages() { return folder_.take_messages(); }

  static constexpr std::size_t kMostWaiting = 64;

 private:
  bool hand_over(std::function<void()> task);
  template <class Value>
  Value ask(std::function<Value()> question, std::chrono::milliseconds patience);
  void work();

  KnowledgeFolder folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool over_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tandem
