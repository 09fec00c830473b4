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

/// "3-gate.mp4.jsonl": the file that a video's results are gathered into.
std::string results_file_name(const Video& video);

/// A video's results as far as they have come. Those of its parts stand in files of their own
/// until all are there.
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
  /// Why a job that is done has to be done again: fewer lines are here than frames, or more, or
  /// others. Empty: it has not, or it is not done. Nothing more may be on its way: that is so when
  /// all results were read after `done` was.
  std::string damage(std::size_t part, const std::map<std::string, JobRecord>& done) const;

  /// Writes the finished file and returns its path. Ids of detections, which are unique in a worker
  /// alone, are numbered anew. Empty: a part turned out to be damaged. Throws std::runtime_error,
  /// also when another file is in its place; OccupiedPlace then. `queue`: the video's.
  std::string write(const std::string& queue);
  /// The parts' files are of no more use.
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
