// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>

#include "pipelines/training/dataset/builder.h"

namespace tandem::mot {

/// A line of a MOTChallenge text: an object in a frame.
struct Entry {
  int frame = 0;  ///< from 1 on
  double id = 0;  ///< of the object; -1 in a text of detections
  DatasetBuilder::ExactBox box;
  std::string label;     ///< "person", "car", ...
  bool ignored = false;  ///< neither must be found nor is a mistake to find
};

/// Calls `add` with each entry of `file`: at least seven numbers between commas. A text of nine
/// columns (MOT16 and later) has the class in the last but one. If `label` is "person", people
/// whose flag in column 7 is 0 are ignored there. So are classes that look like people. In other
/// texts all are people, ignored if the flag is 0. Throws std::runtime_error that names the line.
void read_entries(const std::filesystem::path& file, const std::string& label,
                  const std::function<void(const Entry&, const Place&)>& add);

/// The value of `key` in the sequence's seqinfo.ini; empty if there is none.
std::string sequence_info(const std::filesystem::path& folder, const std::string& key);

}  // namespace tandem::mot
