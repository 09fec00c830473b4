// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/end_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "pipelines/tandem/pipeline/end_signals.h"

namespace tandem {
namespace {

// A handler may do little, whatever thread it interrupts: it writes a byte here.
int end_pipe[2] = {-1, -1};
constexpr char kSignal = 's', kOther = 'o';

void wake_end_watch(int) {
  const int problem = errno;
  (void)!write(end_pipe[1], &kSignal, 1);  // a full pipe wakes as well
  errno = problem;
}

}  // namespace

EndWatch::EndWatch(std::string name, int status) : name_(std::move(name)), status_(status) {
  if (pipe2(end_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::runtime_error(std::string("no pipe for signals: ") + std::strerror(errno));
  struct sigaction action {};
  action.sa_handler = wake_end_watch;
  action.sa_flags = SA_RESTART;
  for (const int signal : end_signals()) {
    struct sigaction before;
    if (sigaction(signal, &action, &before) == 0) before_.emplace_back(signal, before);
  }
  thread_ = std::thread([this] { watch(); });
}

EndWatch::~EndWatch() {
  for (const auto& [signal, before] : before_) sigaction(signal, &before, nullptr);
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  wake_end_watch(0);
  thread_.join();
  for (const int end : end_pipe) close(end);
}

void EndWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    const auto left =
        end_ == Clock::time_point::max() ? std::chrono::hours(1) : end_ - Clock::now();
    if (left.count() <= 0) leave(why_, status_);
    lock.unlock();
    pollfd woken{end_pipe[0], POLLIN, 0};
    poll(&woken, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    char bytes[64];
    const ssize_t count = read(end_pipe[0], bytes, sizeof bytes);
    const bool signalled = count > 0 && std::find(bytes, bytes + count, kSignal) != bytes + count;
    lock.lock();
    if (!signalled || over_) continue;
    if (ended_.exchange(true)) continue;
    end_ = std::min(end_, Clock::now() + kPatience);
    if (why_.empty()) why_ = "it did not come to an end after the signal";
    came_.notify_all();
  }
}

bool EndWatch::wait_for(std::chrono::milliseconds duration) {
  std::unique_lock lock(mutex_);
  came_.wait_for(lock, duration, [&] { return ended_.load(); });
  return ended_;
}

void EndWatch::leave_by(Clock::time_point end, const std::string& why, int status) {
  {
    const std::scoped_lock lock(mutex_);
    if (end >= end_) return;
    end_ = end;
    why_ = why;
    status_ = status;
  }
  (void)!write(end_pipe[1], &kOther, 1);
}

void EndWatch::leave(const std::string& why, int status) {
  end_process("tandem: " + name_ + " leaves: " + why + "\n", status);
}

}  // namespace tandem
