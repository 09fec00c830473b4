// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/training/evaluation/track_metrics.h"

namespace tandem {

/// The objects of a video, with frames counted from 1.
struct TrackFile {
  Tracks tracks;
  int width = 0, height = 0;  ///< of the frames, in pixels; 0: unknown
};

/// The truth of a video: a folder of MOTChallenge with gt/gt.txt and perhaps seqinfo.ini, or such a
/// text alone. Entries of other classes than `label` are left out. Throws std::runtime_error that
/// names the line.
TrackFile read_true_tracks(const std::string& path, const std::string& label);

/// Reads the results of a tracker: JSON lines of `tandem run --track` (detections with
/// `object_id`), or a MOTChallenge text of results. Throws std::runtime_error that names the line,
/// and for JSON lines with detections of which none has an `object_id`.
TrackFile read_found_tracks(const std::string& path, const std::string& label);

/// Scales the boxes of `found` to the frames of `truth`, where both sizes are known.
void scale_to(const TrackFile& truth, TrackFile& found);

}  // namespace tandem
