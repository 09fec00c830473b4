// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/track_metrics.h"

#include <algorithm>
#include <set>
#include <utility>

#include "gst/track/assignment.h"

namespace tandem {
namespace {

using Boxes = std::vector<IdentifiedBox>;

const Boxes& boxes_of(const Tracks& tracks, int frame) {
  static const Boxes none;
  const auto at = tracks.find(frame);
  return at == tracks.end() ? none : at->second;
}

// As many pairs as possible, then the greatest sum of overlaps: that sum is below kPair.
std::vector<int> pair_by_overlap(const Boxes& truth, const Boxes& found, double min_overlap) {
  constexpr double kPair = 1e6;
  std::vector<PossiblePair> candidates;
  for (std::size_t t = 0; t < truth.size(); ++t) {
    for (std::size_t f = 0; f < found.size(); ++f) {
      const double overlap = iou(truth[t].box, found[f].box);
      if (overlap >= min_overlap)
        candidates.push_back({static_cast<int>(t), static_cast<int>(f), kPair + overlap});
    }
  }
  return assign(static_cast<int>(truth.size()), static_cast<int>(found.size()), candidates);
}

// Without ignored boxes of the truth, and what was paired with them.
std::pair<Boxes, Boxes> counted(const Boxes& truth, const Boxes& found, double min_overlap) {
  const std::vector<int> found_of = pair_by_overlap(truth, found, min_overlap);
  std::vector<bool> drops(found.size());
  std::pair<Boxes, Boxes> rest;
  for (std::size_t t = 0; t < truth.size(); ++t) {
    if (!truth[t].ignored)
      rest.first.push_back(truth[t]);
    else if (found_of[t] >= 0)
      drops[static_cast<std::size_t>(found_of[t])] = true;
  }
  for (std::size_t f = 0; f < found.size(); ++f)
    if (!drops[f]) rest.second.push_back(found[f]);
  return rest;
}

/// The frames of a video one after the other.
class Matching {
 public:
  explicit Matching(double min_overlap) : min_overlap_(min_overlap) {}

  void add(const Boxes& truth, const Boxes& found) {
    result_.boxes += truth.size();
    result_.found += found.size();
    for (const IdentifiedBox& t : truth) ++boxes_of_object_[t.id];
    for (const IdentifiedBox& f : found) ++boxes_of_track_[f.id];
    for (const IdentifiedBox& t : truth)
      for (const IdentifiedBox& f : found)
        if (iou(t.box, f.box) >= min_overlap_) ++together_[{t.id, f.id}];
    Boxes new_truth, new_found = found;
    for (const IdentifiedBox& t : truth) {
      const auto before = track_of_.find(t.id);
      const auto same = std::find_if(new_found.begin(), new_found.end(), [&](auto& f) {
        return before != track_of_.end() && before->second == f.id &&
               iou(t.box, f.box) >= min_overlap_;
      });
      if (same == new_found.end()) {
        new_truth.push_back(t);
        continue;
      }
      match(t, *same);
      new_found.erase(same);
    }
    const std::vector<int> found_of = pair_by_overlap(new_truth, new_found, min_overlap_);
    for (std::size_t t = 0; t < new_truth.size(); ++t)
      if (found_of[t] >= 0) match(new_truth[t], new_found[static_cast<std::size_t>(found_of[t])]);
  }

  TrackEvaluation finish() {
    result_.objects = boxes_of_object_.size();
    result_.tracks = boxes_of_track_.size();
    result_.id_matches = best_identities();
    return result_;
  }

 private:
  void match(const IdentifiedBox& truth, const IdentifiedBox& found) {
    ++result_.matches;
    result_.overlap += iou(truth.box, found.box);
    const auto [last, is_first] = track_of_.try_emplace(truth.id, found.id);
    if (!is_first && last->second != found.id) ++result_.switches;
    last->second = found.id;
  }

  // Objects and tracks are paired so that most frames match. A box more or less that matches
  // nothing costs the same wherever it is, so that fewest mistakes are most matches.
  std::size_t best_identities() const {
    std::map<int64_t, int> row_of, column_of;
    for (const auto& [id, count] : boxes_of_object_)
      row_of.emplace(id, static_cast<int>(row_of.size()));
    for (const auto& [id, count] : boxes_of_track_)
      column_of.emplace(id, static_cast<int>(column_of.size()));
    std::vector<PossiblePair> candidates;
    std::map<std::pair<int, int>, std::size_t> frames;
    for (const auto& [ids, count] : together_) {
      const std::pair<int, int> at{row_of.at(ids.first), column_of.at(ids.second)};
      candidates.push_back({at.first, at.second, double(count)});
      frames[at] = count;
    }
    const std::vector<int> pairs =
        assign(static_cast<int>(row_of.size()), static_cast<int>(column_of.size()), candidates);
    std::size_t sum = 0;
    for (std::size_t row = 0; row < pairs.size(); ++row)
      if (pairs[row] >= 0) sum += frames.at({static_cast<int>(row), pairs[row]});
    return sum;
  }

  const double min_overlap_;
  TrackEvaluation result_;
  std::map<int64_t, int64_t> track_of_;  // of each object, where it was matched last
  std::map<int64_t, std::size_t> boxes_of_object_, boxes_of_track_;
  std::map<std::pair<int64_t, int64_t>, std::size_t> together_;
};

double part(double some, std::size_t all) { return all > 0 ? some / double(all) : 0; }

}  // namespace

double TrackEvaluation::mota() const {
  return boxes > 0 ? 1 - part(double(misses() + false_positives() + switches), boxes) : 0;
}
double TrackEvaluation::motp() const { return part(overlap, matches); }
double TrackEvaluation::id_precision() const { return part(double(id_matches), found); }
double TrackEvaluation::id_recall() const { return part(double(id_matches), boxes); }
double TrackEvaluation::idf1() const { return part(2 * double(id_matches), boxes + found); }

TrackEvaluation& TrackEvaluation::operator+=(const TrackEvaluation& other) {
  frames += other.frames;
  objects += other.objects;
  tracks += other.tracks;
  boxes += other.boxes;
  found += other.found;
  matches += other.matches;
  switches += other.switches;
  id_matches += other.id_matches;
  overlap += other.overlap;
  return *this;
}

TrackEvaluation evaluate_tracks(const Tracks& truth, const Tracks& found, double min_overlap) {
  std::set<int> frames;
  for (const auto& [frame, boxes] : truth) frames.insert(frame);
  for (const auto& [frame, boxes] : found) frames.insert(frame);
  Matching matching(min_overlap);
  for (const int frame : frames) {
    const auto [t, f] = counted(boxes_of(truth, frame), boxes_of(found, frame), min_overlap);
    matching.add(t, f);
  }
  TrackEvaluation result = matching.finish();
  result.frames = truth.size();
  return result;
}

}  // namespace tandem
