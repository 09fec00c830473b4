// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "pipelines/jobs/job_queue.h"

namespace tandem {

/// The line of JSON of this frame of its video, whoever wrote it. Throws std::runtime_error: "the
/// line of frame 7 is not JSON: ...".
nlohmann::ordered_json read_result_line(const std::string& line, uint64_t frame);

/// The results of a part as far as they have come, each frame once and in order, in a file that an
/// interrupted gather goes on with.
class GatheredPart {
 public:
  /// Takes over what the file holds, up to its last whole line. Throws std::runtime_error.
  GatheredPart(std::string path, uint64_t first_frame);

  /// Takes the lines of frames that are not there yet. Those that do not follow on what is there
  /// are left out: lines before them were lost, and the job will be done again. Returns why an
  /// entry is not what it says: it is left out too; empty: nothing is wrong.
  std::string take(const ResultLines& lines);
  /// Writes to the disk, and waits until it has it. Throws std::runtime_error.
  void flush();
  /// Forgets all lines, also those on the disk. Throws std::runtime_error.
  void drop();

  uint64_t frames() const { return next_frame_ - first_frame_; }
  uint64_t first_frame() const { return first_frame_; }
  const std::string& path() const { return path_; }
  /// Why the file is not what was written; empty: it is, as far as is known.
  const std::string& damage() const { return damage_; }
  void set_damage(std::string why) { damage_ = std::move(why); }

 private:
  std::string path_;
  uint64_t first_frame_;
  uint64_t next_frame_;  // to come
  uint64_t bytes_ = 0;   // of the file
  std::string unwritten_, damage_;
};

}  // namespace tandem
