// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipelines/jobs/job.h"
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

/// "3-gate.mp4.jsonl": the file that a video's results are gathered into.
std::string results_file_name(const Video& video);

/// A video's results so far. Those of its parts stand in separate files until all are complete.
class GatheredVideo {
 public:
  /// `folder`: of the finished file; the parts' is .gather in it. Throws std::runtime_error.
  GatheredVideo(Video video, const std::string& folder);

  const Video& video() const { return video_; }
  const std::vector<Job>& jobs() const { return jobs_; }
  /// As GatheredPart::take(); there must be such a part.
  std::string take(std::size_t part, const ResultLines& lines) { return parts_[part].take(lines); }
  void flush();
  void drop(std::size_t part) { parts_[part].drop(); }

  uint64_t frames() const;
  /// Whether exactly the part's frames are on the disk. `done`: by job_id().
  bool complete(std::size_t part, const std::map<std::string, JobRecord>& done) const;
  bool complete(const std::map<std::string, JobRecord>& done) const;
  /// The reason why a finished job must run again: its lines are fewer or more than its frames, or
  /// other ones. Empty: it need not, or it has not finished. No results may be in flight, which
  /// holds if all were read after `done`.
  std::string damage(std::size_t part, const std::map<std::string, JobRecord>& done) const;

  /// Writes the finished file and returns its path. Ids of detections, which are unique in a worker
  /// alone, get new numbers. Empty: a part is damaged. Throws std::runtime_error,
  /// also when another file is in its place; OccupiedPlace then. `queue`: the video's.
  std::string write(const std::string& queue);
  /// Removes the parts' files.
  void remove_parts() const;

 private:
  bool copy_part(GatheredPart& part, std::ostream& out, uint64_t& id) const;

  Video video_;
  std::vector<Job> jobs_;
  std::string folder_, parts_folder_;
  std::vector<GatheredPart> parts_;
};

/// Removes the parts of videos of this queue that are written and that it has forgotten: a gather
/// was interrupted before it could.
void remove_gathered_parts(const std::string& folder, const std::string& queue,
                           const std::vector<Video>& videos);

/// Another file has the name of the finished one.
class OccupiedPlace : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tandem
