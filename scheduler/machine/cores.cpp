// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/cores.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

int read_topology(int cpu, const char* name, int otherwise) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/" + name);
  int value = otherwise;
  file >> value;
  return file ? value : otherwise;
}

// Empty when the kernel does not tell.
cpu_set_t affinity() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) CPU_ZERO(&allowed);
  return allowed;
}

}  // namespace

int usable_physical_cores() {
  const cpu_set_t allowed = affinity();
  std::set<std::pair<int, int>> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    // Where the kernel does not tell, each processor counts as a core of its own.
    cores.emplace(read_topology(cpu, "physical_package_id", 0), read_topology(cpu, "core_id", cpu));
  }
  return std::max<int>(1, static_cast<int>(cores.size()));
}

int usable_processors() {
  const cpu_set_t allowed = affinity();
  return std::max(1, CPU_COUNT(&allowed));
}

double thread_cpu_s(pthread_t thread) {
  clockid_t clock{};
  return pthread_getcpuclockid(thread, &clock) == 0 ? processor_time_s(clock) : 0;
}

std::string processor_name(const std::string& cpuinfo) {
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  return processor_name({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

}  // namespace tandem
