// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tandem::generate {

/// The notes in comment lines of a file with loops; docs/generate.md has their form. Tests alone
/// read `random:` and `refused:`.
struct LoopNotes {
  std::string summary;                              ///< the first comment
  std::vector<std::map<std::string, double>> data;  ///< `data:` sizes and parameters, by name
  std::map<std::string, std::vector<std::string>> values;  ///< `values:` least and most of arrays
};

/// Throws std::runtime_error for lines that cannot be read.
LoopNotes read_notes(const std::string& text, const std::string& path);

/// The value of a bound in `values:`: "64", "n" or "n-1"; 0 of names that have no value.
double value_of(const std::string& bound, const std::map<std::string, double>& values);

}  // namespace tandem::generate
