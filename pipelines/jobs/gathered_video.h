// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pipelines/jobs/gathered_part.h"
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
  void take(std::size_t part, const ResultLines& lines);
  void flush();

  uint64_t frames() const;
  /// Whether all of it is here. `done`: by job_id().
  bool complete(const std::map<std::string, JobRecord>& done) const;
  /// Jobs that are done and whose results have not all come. Nothing more may be on its way: that
  /// is so when all results were read after `done` was.
  std::vector<Job> lost(const std::map<std::string, JobRecord>& done) const;

  /// Writes the finished file and returns its path. Ids of detections, which are unique in a worker
  /// alone, are numbered anew. Throws std::runtime_error, also when another file is in its place.
  std::string write() const;
  /// The parts' files are of no more use.
  void remove_parts() const;

 private:
  Video video_;
  std::string folder_, parts_folder_;
  std::vector<GatheredPart> parts_;
};

}  // namespace tandem
