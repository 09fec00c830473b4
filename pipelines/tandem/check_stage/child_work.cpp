// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/check_stage/child_work.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "kernels/stage_file/run/child_process.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

// The child ends this long before it is seen to, or twice that: less than a process takes to start.
constexpr std::chrono::milliseconds kPause{5};
ChildEnd wait_for(pid_t child, const Doing& doing) {
  int status = 0, seen = -1;
  for (Clock::time_point end; !reap_child(child, Clock::now() + kPause, status);) {
    if (doing.begun() != seen) {
      seen = doing.begun();
      end = Clock::now() + doing.most();
    } else if (Clock::now() >= end) {
      kill(child, SIGKILL);
      (void)reap_child(child, Clock::now() + kMostReapTime, status);
      return {.signal = SIGKILL, .timed_out = true};
    }
  }
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.status = WEXITSTATUS(status)};
}

// Compilers that the child waited for, with groups of their own: they are this process's children
// since it has ended. Those that these have started follow.
void end_orphans() {
  const std::string list = "/proc/self/task/" + std::to_string(getpid()) + "/children";
  for (const auto end = Clock::now() + kMostReapTime; Clock::now() < end;) {
    std::ifstream file(list);
    pid_t orphan = 0;
    if (!(file >> orphan)) return;
    kill(orphan, SIGKILL);
    int status = 0;
    (void)reap_child(orphan, end, status);
  }
}

}  // namespace

struct Doing::Shared {
  std::atomic<int> begun, step, most_s;
  char text[1012];
};

Doing::Doing()
    : shared_(static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
  if (shared_ == MAP_FAILED) throw std::runtime_error(std::string("mmap: ") + std::strerror(errno));
}

Doing::~Doing() { munmap(shared_, sizeof(Shared)); }

void Doing::begin(const std::string& text, int step, std::chrono::seconds most) {
  shared_->step = step;
  shared_->most_s = static_cast<int>(most.count());
  const std::size_t length = std::min(text.size(), sizeof shared_->text - 1);
  std::memcpy(shared_->text, text.c_str(), length);
  shared_->text[length] = '\0';
  ++shared_->begun;
}

std::string Doing::text() const { return shared_->text; }
int Doing::step() const { return shared_->step; }
std::chrono::seconds Doing::most() const { return std::chrono::seconds(shared_->most_s); }
int Doing::begun() const { return shared_->begun; }

ChildEnd run_in_child(Doing& doing, const std::function<int()>& work) {
  // Until the work says more.
  constexpr std::chrono::seconds kMostStart{60};
  doing.begin("starting", 0, kMostStart);
  std::fflush(nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it has ended already
    return {.is_child = true, .status = work()};
  }
  const ChildEnd end = wait_for(child, doing);
  end_orphans();
  return end;
}

}  // namespace tandem
