// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/jobs/redis/connection.h"
#include "pipelines/tandem/options/options.h"

namespace tandem {

/// The queue of a command: options common to all of them.
class QueueOptions {
 public:
  void add_to(OptionParser& parser);
  /// Reads the option or else the environment, so that a command line needs no password.
  /// `name`: of the connection. Throws UsageError.
  RedisSettings settings(std::string name) const;

 private:
  std::string queue_, ca_file_;
};

/// "machine-4711-1f3a": the process among all of all machines.
std::string process_name();

}  // namespace tandem
