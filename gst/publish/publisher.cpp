// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/publisher.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace tandem {

/// Readable once wake() was called, until clear() is.
class Publisher::WakeFile {
 public:
  WakeFile() : file_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  ~WakeFile() { close(file_); }
  WakeFile(const WakeFile&) = delete;
  WakeFile& operator=(const WakeFile&) = delete;

  // Neither fails in a way that matters: a full counter is readable, an empty one is clear.
  void wake() { [[maybe_unused]] const int failed = eventfd_write(file_, 1); }
  void clear() {
    eventfd_t count = 0;
    [[maybe_unused]] const int failed = eventfd_read(file_, &count);
  }
  int file() const { return file_; }

 private:
  const int file_;
};

Publisher::Publisher(const OutboxLimits& limits, std::unique_ptr<Connector> connector,
                     Listener listener)
    : outbox_(limits),
      connector_(std::move(connector)),
      session_(outbox_, *connector_),
      listener_(std::move(listener)),
      wake_(std::make_unique<WakeFile>()) {
  // The libraries write to sockets that the broker may have closed; SIGPIPE would end the process.
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  try {
    thread_ = std::thread(&Publisher::run, this);
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Publisher::~Publisher() {
  stopping_ = true;
  connector_->cancel();
  wake_->wake();
  thread_.join();
}

bool Publisher::publish(std::string line) {
  if (failed_) return false;
  outbox_.push(std::move(line));
  wake_->wake();
  return true;
}

Publisher::Drained Publisher::drain(std::chrono::milliseconds limit) {
  session_.hurry();  // the broker may be back, and the limit shorter than a pause
  wake_->wake();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit,
                    [&] { return interrupted_ || failed_ || outbox_.counts().queued == 0; });
  if (outbox_.counts().queued == 0) return Drained::kAll;
  return interrupted_ ? Drained::kInterrupted : Drained::kNotAll;
}

void Publisher::interrupt(bool interrupted) {
  const std::lock_guard lock(mutex_);
  interrupted_ = interrupted;
  changed_.notify_all();
}

PublisherStats Publisher::stats() const {
  return {outbox_.counts(), session_.reconnects(), session_.connected()};
}

void Publisher::run() {
  for (;;) {
    wake_->clear();  // first: later calls of wake() end the next wait
    if (stopping_) break;
    const Session::Step step = session_.step(std::chrono::steady_clock::now());
    for (const SessionNews& news : step.news) {
      if (!stopping_) listener_(news);
    }
    failed_ = session_.failed();  // reported before the stream can end
    {
      const std::lock_guard lock(mutex_);  // drain() has not checked yet, or waits
      changed_.notify_all();
    }
    wait(step);
  }
  session_.close();  // here, where SIGPIPE is blocked
}

void Publisher::wait(const Session::Step& step) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(step.until - std::chrono::steady_clock::now());
  pollfd files[] = {{wake_->file(), POLLIN, 0}, step.file};
  poll(files, 2, static_cast<int>(std::max<int64_t>(left.count(), 0)));
}

}  // namespace tandem
