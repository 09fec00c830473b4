// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// A range of a video: the frames whose presentation time lies in [start_ns, end_ns). The parts
/// of a video hold each of its frames once.
struct Part {
  uint64_t first_frame = 0;          ///< number of its first frame in the video
  std::optional<uint64_t> frames;    ///< how many; none: to the end of the video
  std::optional<uint64_t> start_ns;  ///< time of its first frame; none: from the video's beginning
  std::optional<uint64_t> end_ns;    ///< time of the first frame behind it; none: to the end
  uint64_t seek_ns = 0;              ///< where to seek for start_ns: a position in the video

  bool operator==(const Part&) const = default;
};

/// The analysis of a video. The properties are those that change the result, named as the options
/// of `tandem submit`. Every worker produces the same result.
struct Analysis {
  std::string uri, application;
  std::map<std::string, std::string> properties;

  bool operator==(const Analysis&) const = default;
};

/// The unit of work that a worker takes.
struct Job {
  std::string id;  ///< of the video and the part: job_id()
  Analysis analysis;
  Part part;

  bool operator==(const Job&) const = default;
};

/// A video that was submitted, with the parts that it was cut into.
struct Video {
  uint64_t number = 0;   ///< in its queue, from 1 on
  std::string identity;  ///< random and unique over all queues (new_identity())
  Analysis analysis;
  std::vector<Part> parts;

  bool operator==(const Video&) const = default;
};

/// 128 random bits as hexadecimal digits.
std::string new_identity();

/// "7.0@IDENTITY" is the first part of video 7.
std::string job_id(const Video& video, std::size_t part);
/// "7.0", for people; safe for a terminal with any id.
std::string shown(const std::string& job_id);
/// The parts of a job_id(); none where the text is not one.
struct JobPlace {
  uint64_t video = 0;
  std::size_t part = 0;
  std::string identity;
};
std::optional<JobPlace> place_of(const std::string& job_id);

/// A job for each part.
std::vector<Job> jobs_of(const Video& video);

/// As JSON, for the queue.
std::string write_job(const Job& job);
std::string write_video(const Video& video);
/// For any text of any length and depth. Throw std::runtime_error with the fault, which may quote
/// the text.
Job read_job(const std::string& text);
Video read_video(const std::string& text);

/// Whether every frame's result depends on that frame alone, so that parts of a video may be
/// analysed apart.
bool frames_are_independent(const std::string& application);

}  // namespace tandem
