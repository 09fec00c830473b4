// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gst/track/boxfilter.h"

namespace tandem {

/// A detection in one frame.
struct FoundObject {
  TrackBox box;
  double confidence = 1;  ///< 0 to 1
  uint32_t label = 0;     ///< objects of different labels are never the same object
};

/// A feature that was found in the previous frame and in this one: pixels.
struct FeatureMotion {
  double x = 0, y = 0;  ///< in this frame
  double dx = 0, dy = 0;
};

/// An object of a frame.
struct TrackedObject {
  uint64_t id = 0;  ///< from 1, never reused by this tracker
  uint32_t label = 0;
  TrackBox box;           ///< as detected; predicted if `detection` is -1
  int detection = -1;     ///< index of the detection in this frame; -1: it was not detected
  double confidence = 0;  ///< of its last detection
  int age = 0;            ///< frames since it was first detected
  int unseen = 0;         ///< frames since it was last detected
  /// The times that advance() was given when it was first and last detected.
  uint64_t first_seen = 0, last_seen = 0;
};

struct TrackerSettings {
  double iou = 0.3;     ///< least overlap of a predicted box and a detection of the same object
  int max_age = 30;     ///< frames without a detection after which an object is forgotten
  int min_hits = 3;     ///< hits before an object is reported
  int coast = 0;        ///< frames without a detection for which an object is reported
  bool predict = true;  ///< false: an object is expected where it was last detected
};

/// Assigns ids to the objects of a stream: tracking by detection. Each object has a BoxFilter;
/// objects and detections are paired by the overlap of predicted and detected boxes so that the sum
/// of overlaps is greatest (SORT, Bewley et al. 2016). Where features were followed, the median
/// motion of those in an object's box corrects its rate (median flow, Kalal et al. 2010).
///
/// For one thread. At most kMostObjects detections of a frame, those of the highest confidence, are
/// used; detections with numbers that are not finite, or with a box without area, are not. If there
/// are more than kMostKept objects, those unseen for longest are forgotten before max_age.
class ObjectTracker {
 public:
  /// Bounds the cost of a frame: kMostObjects * kMostKept overlaps, and the bound of assign().
  static constexpr int kMostObjects = 500;
  static constexpr std::size_t kMostKept = 1000;

  explicit ObjectTracker(const TrackerSettings& settings) : settings_(settings) {}

  void set(const TrackerSettings& settings) { settings_ = settings; }

  /// The next frame. `detected` is false if no detector worked on it: objects then keep the number
  /// of frames for which they were unseen. `now` is a time for first_seen and last_seen. Returns
  /// the objects to report, by id; valid until the next call.
  std::span<const TrackedObject> advance(std::span<const FoundObject> found, bool detected,
                                         std::span<const FeatureMotion> motion, uint64_t now);

  /// Drops all objects. Ids continue.
  void restart() { objects_.clear(); }

 private:
  struct Object {
    TrackedObject shown;
    BoxFilter filter;
    int hits = 1;            ///< frames in which it was detected, and those that follow one of them
                             ///< on which no detector worked
    bool was_found = true;   ///< by the detector when that worked last
    bool was_shown = false;  ///< in the last frame
  };

  void predict(std::span<const FeatureMotion> motion);
  void see_motion(std::span<const FeatureMotion> motion);
  void pair(std::span<const FoundObject> found, std::span<const int> usable, uint64_t now);
  void begin(const FoundObject& found, int index, uint64_t now);
  void forget();

  TrackerSettings settings_;
  std::vector<Object> objects_;
  std::vector<TrackedObject> reported_;
  uint64_t next_id_ = 1;
};

}  // namespace tandem
