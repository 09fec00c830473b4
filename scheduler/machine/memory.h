// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>

namespace tandem {

/// The memory that there is for this process: that of the machine, or less in a container (bytes).
inline std::size_t memory_of_process() {
  std::size_t memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t limit = 0;  // of a container; the file says "max" where there is none
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) memory = std::min(memory, limit);
  return memory;
}

}  // namespace tandem
