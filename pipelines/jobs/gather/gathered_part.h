// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "pipelines/jobs/job_queue.h"

namespace tandem {

/// The line of JSON of this frame of its video, from any writer. Throws std::runtime_error: "the
/// line of frame 7 is not JSON: ...".
nlohmann::ordered_json read_result_line(const std::string& line, uint64_t frame);

/// The results of a part so far, each frame once and in order, in a file with which an interrupted
/// gather continues.
class GatheredPart {
 public:
  /// Takes over the content of the file, up to its last whole line. Throws std::runtime_error.
  GatheredPart(std::string path, uint64_t first_frame);

  /// Takes the lines of frames that are missing so far. Lines after a gap are skipped: earlier ones
  /// were lost, and the job will be run again. Returns the fault of an invalid entry, which is
  /// skipped too; empty: it is valid.
  std::string take(const ResultLines& lines);
  /// Writes to the disk, and waits for it. Throws std::runtime_error.
  void flush();
  /// Forgets all lines, also those on the disk. Throws std::runtime_error.
  void drop();

  uint64_t frames() const { return next_frame_ - first_frame_; }
  uint64_t first_frame() const { return first_frame_; }
  const std::string& path() const { return path_; }
  /// The reason why the file differs from what was written; empty: no known difference.
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
