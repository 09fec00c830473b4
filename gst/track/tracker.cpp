// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/track/tracker.h"

#include <algorithm>
#include <cmath>

#include "gst/track/assignment.h"

namespace tandem {
namespace {

// Fewer features in a box may belong to the background.
constexpr std::size_t kLeastFeatures = 4;
// The border of a box, as a part of its width and of its height, shows the background.
constexpr double kBorder = 0.2;

bool is_usable(const FoundObject& found) {
  const TrackBox& box = found.box;
  return std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.width) &&
         std::isfinite(box.height) && std::isfinite(found.confidence) && box.width > 0 &&
         box.height > 0;
}

// Indices of the detections to use, by falling confidence.
std::vector<int> usable_of(std::span<const FoundObject> found) {
  std::vector<int> usable;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (is_usable(found[i])) usable.push_back(static_cast<int>(i));
  std::stable_sort(usable.begin(), usable.end(), [&](int a, int b) {
    return found[static_cast<std::size_t>(a)].confidence >
           found[static_cast<std::size_t>(b)].confidence;
  });
  if (usable.size() > ObjectTracker::kMostObjects) usable.resize(ObjectTracker::kMostObjects);
  return usable;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool holds(const TrackBox& box, double x, double y) {
  return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
}

TrackBox without_border(const TrackBox& box) {
  return {box.x + kBorder * box.width, box.y + kBorder * box.height, (1 - 2 * kBorder) * box.width,
          (1 - 2 * kBorder) * box.height};
}

constexpr int kNobody = -1;

// The object whose box held a feature in the previous frame; none if several did.
std::vector<int> owners_of(std::span<const FeatureMotion> motion, std::span<const TrackBox> boxes) {
  std::vector<int> owners;
  for (const FeatureMotion& m : motion) {
    int owner = kNobody, count = 0;
    for (std::size_t i = 0; i < boxes.size() && count < 2; ++i) {
      if (!holds(boxes[i], m.x - m.dx, m.y - m.dy)) continue;
      owner = static_cast<int>(i);
      ++count;
    }
    owners.push_back(count == 1 ? owner : kNobody);
  }
  return owners;
}

}  // namespace

std::span<const TrackedObject> ObjectTracker::advance(std::span<const FoundObject> found,
                                                      bool detected,
                                                      std::span<const FeatureMotion> motion,
                                                      uint64_t now) {
  predict(motion);
  if (detected) {
    pair(found, usable_of(found), now);
    forget();
  } else {
    for (Object& o : objects_) o.hits += o.was_found ? 1 : 0;
  }
  reported_.clear();
  for (Object& o : objects_) {
    if (o.shown.detection < 0) o.shown.box = o.filter.box();
    const bool is_shown = o.shown.unseen <= settings_.coast || (!detected && o.was_shown);
    o.was_shown = o.hits >= settings_.min_hits && is_shown;
    if (o.was_shown) reported_.push_back(o.shown);
  }
  return reported_;
}

void ObjectTracker::predict(std::span<const FeatureMotion> motion) {
  for (Object& o : objects_) {
    ++o.shown.age;
    ++o.shown.unseen;
    o.shown.detection = -1;
  }
  if (!settings_.predict) return;
  see_motion(motion);
  for (Object& o : objects_) o.filter.predict();
}

void ObjectTracker::see_motion(std::span<const FeatureMotion> motion) {
  std::vector<TrackBox> boxes;
  for (const Object& o : objects_) boxes.push_back(o.filter.box());
  const std::vector<int> owners = owners_of(motion, boxes);
  std::vector<double> dx, dy;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const TrackBox middle = without_border(boxes[i]);
    dx.clear();
    dy.clear();
    for (std::size_t f = 0; f < motion.size(); ++f) {
      const FeatureMotion& m = motion[f];
      if (owners[f] != static_cast<int>(i) || !holds(middle, m.x - m.dx, m.y - m.dy)) continue;
      dx.push_back(m.dx);
      dy.push_back(m.dy);
    }
    if (dx.size() >= kLeastFeatures) objects_[i].filter.see_motion(median(dx), median(dy));
  }
}

void ObjectTracker::forget() {
  std::erase_if(objects_, [&](const Object& o) { return o.shown.unseen > settings_.max_age; });
  if (objects_.size() <= kMostKept) return;
  std::vector<int> unseen;
  for (const Object& o : objects_) unseen.push_back(o.shown.unseen);
  std::nth_element(unseen.begin(), unseen.begin() + kMostKept, unseen.end());
  const int longest = unseen[kMostKept];
  std::erase_if(objects_, [&](const Object& o) { return o.shown.unseen > longest; });
  std::size_t left = objects_.size() - kMostKept;
  std::erase_if(objects_,
                [&](const Object& o) { return left > 0 && o.shown.unseen == longest && left--; });
}

void ObjectTracker::pair(std::span<const FoundObject> found, std::span<const int> usable,
                         uint64_t now) {
  std::vector<PossiblePair> candidates;
  for (std::size_t row = 0; row < objects_.size(); ++row) {
    const TrackBox expected = objects_[row].filter.box();
    for (std::size_t column = 0; column < usable.size(); ++column) {
      const FoundObject& one = found[static_cast<std::size_t>(usable[column])];
      if (one.label != objects_[row].shown.label) continue;
      const double overlap = iou(expected, one.box);
      if (overlap >= settings_.iou)
        candidates.push_back({static_cast<int>(row), static_cast<int>(column), overlap});
    }
  }
  const std::vector<int> column_of =
      assign(static_cast<int>(objects_.size()), static_cast<int>(usable.size()), candidates);
  std::vector<bool> is_new(usable.size(), true);
  for (std::size_t row = 0; row < objects_.size(); ++row) {
    objects_[row].was_found = column_of[row] >= 0;
    if (column_of[row] < 0) continue;
    const auto column = static_cast<std::size_t>(column_of[row]);
    is_new[column] = false;
    Object& o = objects_[row];
    const FoundObject& one = found[static_cast<std::size_t>(usable[column])];
    if (settings_.predict)
      o.filter.see(one.box);
    else
      o.filter = BoxFilter(one.box);
    ++o.hits;
    o.shown.unseen = 0;
    o.shown.last_seen = now;
    o.shown.detection = usable[column];
    o.shown.confidence = one.confidence;
    o.shown.box = one.box;
  }
  for (std::size_t column = 0; column < usable.size(); ++column)
    if (is_new[column]) begin(found[static_cast<std::size_t>(usable[column])], usable[column], now);
}

void ObjectTracker::begin(const FoundObject& found, int index, uint64_t now) {
  objects_.push_back({{next_id_++, found.label, found.box, index, found.confidence, 0, 0, now, now},
                      BoxFilter(found.box),
                      1,
                      true,
                      false});
}

}  // namespace tandem
