// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>

namespace tandem {

/// Place, time, frames and version of a bench, which decide whether two files are comparable.
struct BenchOrigin {
  std::string version, date;             ///< date: of the start, ISO 8601 in UTC
  std::string host;                      ///< name of the machine
  std::optional<std::string> processor;  ///< as the kernel names it; none where it does not
  std::optional<std::string> input;      ///< as it was given; none: a moving pattern
};

/// The origin of a bench that begins now. `input`: empty for a moving pattern.
BenchOrigin bench_origin(const std::string& input);

}  // namespace tandem
