// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipelines/jobs/gather/gathered_part.h"
#include "pipelines/jobs/job.h"
#include "pipelines/jobs/job_queue.h"

namespace tandem {

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
