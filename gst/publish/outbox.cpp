// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/outbox.h"

#include <algorithm>
#include <utility>

namespace tandem {

Outbox::Outbox(const OutboxLimits& limits)
    : limits_{std::max<std::size_t>(limits.lines, 1), limits.bytes} {}

bool Outbox::push(std::string line) {
  const std::size_t size = line.size();
  auto kept = std::make_shared<const std::string>(std::move(line));
  const std::lock_guard lock(mutex_);
  if (size > limits_.bytes) {
    ++too_long_;
    return false;
  }
  while (entries_.size() >= limits_.lines || bytes_ + size > limits_.bytes) drop_oldest();
  entries_.push_back(std::move(kept));
  bytes_ += size;
  return true;
}

void Outbox::leave_out() {
  const std::lock_guard lock(mutex_);
  ++too_long_;
}

std::vector<Outgoing> Outbox::take(const Room& most) {
  std::vector<Outgoing> taken;
  std::size_t bytes = 0;
  const std::lock_guard lock(mutex_);
  for (; taken.size() < most.lines && bytes < most.bytes && next_ - first_ < entries_.size();
       ++next_) {
    const Line& line = entries_[next_ - first_];
    if (!line) continue;
    bytes += line->size();
    taken.push_back({next_, line});
  }
  return taken;
}

void Outbox::acknowledge(uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (finish(id)) ++published_;
}

std::shared_ptr<const std::string> Outbox::refuse(uint64_t id) {
  const std::lock_guard lock(mutex_);
  Line line = id >= first_ && id < next_ ? entries_[id - first_] : nullptr;
  if (finish(id)) ++too_long_;
  return line;
}

void Outbox::rewind() {
  const std::lock_guard lock(mutex_);
  next_ = first_;
  dropped_ += pushed_out_.size();
  pushed_out_.clear();
}

bool Outbox::awaiting() const {
  const std::lock_guard lock(mutex_);
  return next_ > first_ || !pushed_out_.empty();
}

std::optional<Outgoing> Outbox::longest_under_way() const {
  std::optional<Outgoing> longest;
  const std::lock_guard lock(mutex_);
  for (uint64_t id = first_; id < next_; ++id) {
    const Line& line = entries_[id - first_];
    if (line && (!longest || line->size() > longest->line->size())) longest = {id, line};
  }
  return longest;
}

bool Outbox::holds(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  return id >= first_ && id - first_ < entries_.size() && entries_[id - first_];
}

OutboxCounts Outbox::counts() const {
  const std::lock_guard lock(mutex_);
  return {entries_.size() - done_ + pushed_out_.size(), published_, dropped_, too_long_, bytes_};
}

void Outbox::drop_oldest() {
  if (next_ > first_) {
    pushed_out_.insert(first_);
  } else {
    ++dropped_;
  }
  bytes_ -= entries_.front()->size();
  pop_front();
}

// And what was done behind it.
void Outbox::pop_front() {
  do {
    if (!entries_.front()) --done_;
    entries_.pop_front();
    next_ = std::max(next_, ++first_);
  } while (!entries_.empty() && !entries_.front());
}

// Whether a line under way had this id; it no longer is.
bool Outbox::finish(uint64_t id) {
  if (pushed_out_.erase(id) > 0) return true;
  if (id < first_ || id >= next_ || !entries_[id - first_]) return false;
  Line& line = entries_[id - first_];
  bytes_ -= line->size();
  line.reset();
  ++done_;
  if (id == first_) pop_front();
  return true;
}

}  // namespace tandem
