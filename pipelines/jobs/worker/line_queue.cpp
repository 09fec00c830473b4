// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/line_queue.h"

namespace tandem {

void LineQueue::push(const std::string& line) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] { return closed_ || bytes_ < kMostBytes; });
  if (closed_) return;
  bytes_ += line.size();
  lines_.push_back(line);
  ++pushed_;
}

ResultLines LineQueue::take() {
  const std::scoped_lock lock(mutex_);
  ResultLines batch{next_frame_, 0, {}};
  while (!lines_.empty() &&
         (batch.frames == 0 || batch.text.size() + lines_.front().size() <= kBatchBytes)) {
    batch.text += lines_.front();
    bytes_ -= lines_.front().size();
    lines_.pop_front();
    ++batch.frames;
  }
  next_frame_ += batch.frames;
  taken_.notify_all();
  return batch;
}

bool LineQueue::empty() const {
  const std::scoped_lock lock(mutex_);
  return lines_.empty();
}

bool LineQueue::full() const {
  const std::scoped_lock lock(mutex_);
  return bytes_ >= kMostBytes;
}

void LineQueue::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  taken_.notify_all();
}

uint64_t LineQueue::pushed() const {
  const std::scoped_lock lock(mutex_);
  return pushed_;
}

}  // namespace tandem
