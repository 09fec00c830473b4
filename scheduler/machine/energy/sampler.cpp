// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/sampler.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace tandem {

Sampler::Sampler(Work work) : work_(std::move(work)), stop_file_(eventfd(0, EFD_CLOEXEC)) {
  if (!stop_file_) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread(&Sampler::loop, this);
}

Sampler::~Sampler() {
  eventfd_write(stop_file_.number(), 1);
  thread_.join();
}

void Sampler::loop() {
  pollfd stop{stop_file_.number(), POLLIN, 0};
  do {
    const std::chrono::milliseconds pause = work_(stop_file_.number());
    if (poll(&stop, 1, static_cast<int>(pause.count())) < 0) stop.revents = 0;  // a signal
  } while (!(stop.revents & POLLIN));
}

}  // namespace tandem
