// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/jobs/redis/connection.h"
#include "pipelines/tandem/options/options.h"

namespace tandem {

/// Which queue a command is about: the options that all of them have.
class QueueOptions {
 public:
  void add_to(OptionParser& parser);
  /// Reads the option or else the environment, so that no password need be a word of a command.
  /// `name`: of the connection. Throws UsageError.
  RedisSettings settings(std::string name) const;

 private:
  std::string queue_, ca_file_;
};

/// "machine-4711-1f3a": the process among all of all machines.
std::string process_name();

}  // namespace tandem
