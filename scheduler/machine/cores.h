// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <pthread.h>

#include <string>

namespace tandem {

/// The physical cores that this process may use: its CPU affinity, hardware threads of one core
/// counted once. At least 1. This is nC of Vilches, which found hyperthreads of no use.
int usable_physical_cores();

/// The processors that this process may use, each hardware thread by itself. At least 1.
int usable_processors();

/// The name of the first processor, as the kernel tells it; empty where it does not.
std::string processor_name();
/// The first `model name` in the text of /proc/cpuinfo; empty where there is none.
std::string processor_name(const std::string& cpuinfo);

/// Processor time that a thread of this process, which has not been joined, has taken.
double thread_cpu_s(pthread_t thread);

}  // namespace tandem
