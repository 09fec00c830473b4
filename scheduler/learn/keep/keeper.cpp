// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/keep/keeper.h"

#include <future>
#include <map>
#include <utility>

namespace tandem {

std::shared_ptr<KnowledgeKeeper> KnowledgeKeeper::of_process(const std::string& folder) {
  if (folder.empty()) return nullptr;
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<KnowledgeKeeper>> keepers;
  std::lock_guard lock(mutex);
  std::erase_if(keepers, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<KnowledgeKeeper>& kept = keepers[folder];
  if (auto keeper = kept.lock()) return keeper;
  auto keeper = std::make_shared<KnowledgeKeeper>(folder);
  kept = keeper;
  return keeper;
}

KnowledgeKeeper::KnowledgeKeeper(const std::string& folder)
    : folder_(folder), thread_([this] { work(); }) {}

KnowledgeKeeper::~KnowledgeKeeper() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void KnowledgeKeeper::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return over_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

// False when too many wait.
bool KnowledgeKeeper::hand_over(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    if (tasks_.size() >= kMostWaiting) return false;
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

// Nothing where that takes longer.
template <class Value>
Value KnowledgeKeeper::ask(std::function<Value()> question, std::chrono::milliseconds patience) {
  // Kept by the task: it may outlast who waits for it.
  const auto said = std::make_shared<std::promise<Value>>();
  std::future<Value> answer = said->get_future();
  const bool asked =
      hand_over([said, question = std::move(question)] { said->set_value(question()); });
  if (!asked || answer.wait_for(patience) != std::future_status::ready) return {};
  return answer.get();
}

std::vector<Known> KnowledgeKeeper::recall(const Conditions& conditions,
                                           std::chrono::milliseconds patience) {
  return ask<std::vector<Known>>([this, conditions] { return folder_.load(conditions); }, patience);
}

bool KnowledgeKeeper::knows(const Conditions& conditions, std::chrono::milliseconds patience) {
  return ask<bool>([this, conditions] { return folder_.knows_work(conditions); }, patience);
}

void KnowledgeKeeper::keep(Known known) {
  hand_over([this, known = std::move(known)] { folder_.store(known); });
}

}  // namespace tandem
