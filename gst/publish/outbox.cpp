// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/outbox.h"

#include <algorithm>
#include <utility>

namespace tandem {

Outbox::Outbox(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

void Outbox::push(std::string line) {
  auto kept = std::make_shared<const std::string>(std::move(line));
  const std::lock_guard lock(mutex_);
  if (entries_.size() == capacity_) {
    entries_.pop_front();
    next_ = std::max(next_, ++first_);
    ++dropped_;
    pop_acknowledged();
  }
  entries_.push_back({std::move(kept)});
}

std::vector<Outgoing> Outbox::take(std::size_t most) {
  std::vector<Outgoing> taken;
  const std::lock_guard lock(mutex_);
  for (; taken.size() < most && next_ - first_ < entries_.size(); ++next_) {
    const Entry& entry = entries_[next_ - first_];
    if (!entry.acknowledged) taken.push_back({next_, entry.line});
  }
  return taken;
}

void Outbox::acknowledge(uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (id < first_ || id >= next_) return;
  Entry& entry = entries_[id - first_];
  if (entry.acknowledged) return;
  entry.acknowledged = true;
  ++acknowledged_;
  ++published_;
  pop_acknowledged();
}

void Outbox::rewind() {
  const std::lock_guard lock(mutex_);
  next_ = first_;
}

bool Outbox::awaiting() const {
  const std::lock_guard lock(mutex_);
  return next_ > first_;
}

OutboxCounts Outbox::counts() const {
  const std::lock_guard lock(mutex_);
  return {entries_.size() - acknowledged_, published_, dropped_};
}

void Outbox::pop_acknowledged() {
  while (!entries_.empty() && entries_.front().acknowledged) {
    entries_.pop_front();
    --acknowledged_;
    next_ = std::max(next_, ++first_);
  }
}

}  // namespace tandem
