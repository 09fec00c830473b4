// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/hardware_counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>

namespace tandem::streams {
namespace {

constexpr uint64_t kL1Read = PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8;

struct Event {
  uint32_t type;
  uint64_t config;
};
enum Place { kInstructions, kBranches, kBranchMisses, kL1Reads, kL1Misses };
constexpr Event kEvents[] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {PERF_TYPE_HW_CACHE, kL1Read | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16},
    {PERF_TYPE_HW_CACHE, kL1Read | PERF_COUNT_HW_CACHE_RESULT_MISS << 16}};

int open_counter(const Event& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

double read_counter(int file) {
  uint64_t count = 0;
  return file >= 0 && read(file, &count, sizeof count) == sizeof count ? static_cast<double>(count)
                                                                       : 0;
}

}  // namespace

HardwareCounters::HardwareCounters() {
  for (const Event& event : kEvents) {
    files_.push_back(open_counter(event));
    if (files_.size() == 1 && files_[0] < 0)
      problem_ = std::string("perf_event_open: ") + std::strerror(errno);
  }
}

HardwareCounters::~HardwareCounters() {
  for (const int file : files_)
    if (file >= 0) close(file);
}

void HardwareCounters::start() {
  for (const int file : files_) {
    if (file < 0) continue;
    ioctl(file, PERF_EVENT_IOC_RESET, 0);
    ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
  }
}

FeatureValues HardwareCounters::stop() {
  double counts[std::size(kEvents)] = {};
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i] >= 0) ioctl(files_[i], PERF_EVENT_IOC_DISABLE, 0);
    counts[i] = read_counter(files_[i]);
  }
  FeatureValues values;
  if (counts[kInstructions] > 0) values["cpu-instructions"] = counts[kInstructions];
  if (counts[kBranches] > 0) values["branch-miss"] = counts[kBranchMisses] / counts[kBranches];
  if (counts[kL1Reads] > 0) values["l1-miss"] = counts[kL1Misses] / counts[kL1Reads];
  return values;
}

}  // namespace tandem::streams
