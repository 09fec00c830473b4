// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gst/track/box.h"

namespace tandem {

/// A box of one frame and the object that it belongs to.
struct IdentifiedBox {
  int64_t id = 0;
  TrackBox box;
  bool ignored = false;  ///< of the truth: neither must be found nor is a mistake to find
};

/// Boxes by the number of their frame.
using Tracks = std::map<int, std::vector<IdentifiedBox>>;

/// How well the objects of videos were followed, as counts that add up over videos. Boxes that are
/// ignored are left out.
struct TrackEvaluation {
  std::size_t frames = 0;               ///< frames of the truth that have boxes
  std::size_t objects = 0, tracks = 0;  ///< different ids in the truth, and among those found
  std::size_t boxes = 0, found = 0;     ///< in the truth, and found
  std::size_t matches = 0;              ///< found boxes that are those of the truth
  std::size_t switches = 0;    ///< matches whose object had another id when it was matched last
  std::size_t id_matches = 0;  ///< matches under the best pairing of objects with ids (IDTP)
  double overlap = 0;          ///< summed over the matches (intersection over union)

  std::size_t misses() const { return boxes - matches; }
  std::size_t false_positives() const { return found - matches; }
  /// 1 - (misses + false positives + switches) / boxes: at most 1, may be below 0.
  double mota() const;
  double motp() const;  ///< mean overlap of the matches, 0 to 1
  double id_precision() const;
  double id_recall() const;
  double idf1() const;

  TrackEvaluation& operator+=(const TrackEvaluation& other);
};

/// Multiple object tracking accuracy (CLEAR MOT, Bernardin and Stiefelhagen 2008) and identity F1
/// (Ristani et al. 2016) of boxes that overlap those of the truth by at least `min_overlap`
/// (intersection over union).
///
/// A pair of the frame before stays a pair while it overlaps enough. The other boxes are paired so
/// that as many as possible are, then by the greatest overlap. A found box that is paired with an
/// ignored box first does not count.
TrackEvaluation evaluate_tracks(const Tracks& truth, const Tracks& found, double min_overlap);

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
