// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/child_work.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace tandem {

struct Doing::Shared {
  int step;
  char text[1020];
};

Doing::Doing()
    : shared_(static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
  if (shared_ == MAP_FAILED) throw std::runtime_error(std::string("mmap: ") + std::strerror(errno));
}

Doing::~Doing() { munmap(shared_, sizeof(Shared)); }

void Doing::say(const std::string& text, int step) {
  shared_->step = step;
  const std::size_t length = std::min(text.size(), sizeof shared_->text - 1);
  std::memcpy(shared_->text, text.c_str(), length);
  shared_->text[length] = '\0';
}

std::string Doing::text() const { return shared_->text; }
int Doing::step() const { return shared_->step; }

ChildEnd run_in_child(const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (child == 0) return {.is_child = true, .status = work()};
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(std::string("waitpid: ") + std::strerror(errno));
  }
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.status = WEXITSTATUS(status)};
}

}  // namespace tandem
