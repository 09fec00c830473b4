// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/run/result_summary.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "files/terminal_text.h"
#include "gst/meta/results.h"
#include "pipelines/formatted.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {
namespace {

double share(uint64_t part, uint64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

class People final : public ResultSummary {
 public:
  bool add(GstBuffer* frame) override {
    const std::vector<FrameObject> objects = read_results(frame, {}).objects;
    const uint64_t here = objects.size();
    for (const FrameObject& object : objects)
      if (object.object_id) ids_.insert(*object.object_id);
    ++frames_;
    people_ += here;
    most_ = std::max(most_, here);
    return here > 0;
  }
  std::string progress() const override {
    std::string text = formatted("%" G_GUINT64_FORMAT " people found", people_);
    if (!ids_.empty()) text += formatted(", %zu different", ids_.size());
    return text;
  }
  std::string summary() const override {
    return formatted("%s (%.1f a frame, %" G_GUINT64_FORMAT " at most)", progress().c_str(),
                     share(people_, frames_), most_);
  }

 private:
  uint64_t frames_ = 0, people_ = 0, most_ = 0;
  std::set<uint64_t> ids_;  // of tandemtrack
};

/// The findings of a network: objects of several classes, or a class of each frame.
class Findings final : public ResultSummary {
 public:
  bool add(GstBuffer* frame) override {
    const FrameResults results = read_results(frame, {});
    for (const FrameScene& scene : results.scenes) ++classes_[scene.label];
    for (const FrameObject& object : results.objects) {
      ++objects_[object.label];
      if (object.object_id) ids_.insert(*object.object_id);
    }
    return !results.scenes.empty() || !results.objects.empty();
  }
  std::string progress() const override { return text(1); }
  std::string summary() const override {
    if (!classes_.empty() || !objects_.empty()) return text(5);
    return text(5) +
           ": try a lower --threshold, or check scores, colors, mean and deviation in the "
           ".modelinfo file (docs/networks.md)";
  }

 private:
  using Counts = std::map<std::string, uint64_t>;

  std::string text(std::size_t most) const {
    if (!classes_.empty()) return "frames: " + most_frequent(classes_, most);
    if (objects_.empty()) return "nothing found";
    std::string text = most_frequent(objects_, most);
    if (!ids_.empty()) text += formatted(", %zu different", ids_.size());
    return text;
  }
  /// "380 person, 20 car, 3 others"
  static std::string most_frequent(const Counts& counts, std::size_t most) {
    std::vector<std::pair<std::string, uint64_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    uint64_t others = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i < most) {
        text += formatted("%s%" G_GUINT64_FORMAT " %s", i == 0 ? "" : ", ", sorted[i].second,
                          terminal_text(sorted[i].first).c_str());
      } else {
        others += sorted[i].second;
      }
    }
    if (others > 0) text += formatted(", %" G_GUINT64_FORMAT " others", others);
    return text;
  }

  Counts objects_, classes_;
  std::set<uint64_t> ids_;  // of tandemtrack
};

class Tracks final : public ResultSummary {
 public:
  bool add(GstBuffer* frame) override {
    ++frames_;
    alive_ = 0;
    const GstTandemMotionMeta* motion = motion_of(frame);
    if (!motion) return false;
    alive_ = motion->count;
    vectors_ += alive_;
    for (guint i = 0; i < motion->count; ++i) {
      begun_ += motion->vectors[i].age == 1 ? 1 : 0;
      longest_ = std::max(longest_, motion->vectors[i].age);
    }
    return alive_ > 0;
  }
  std::string progress() const override {
    return formatted("tracks: %" G_GUINT64_FORMAT " alive, %" G_GUINT64_FORMAT " ended", alive_,
                     begun_ - std::min(begun_, alive_));
  }
  std::string summary() const override {
    return formatted("%s, %.1f vectors a frame, the longest track %u frames", progress().c_str(),
                     share(vectors_, frames_), longest_);
  }

 private:
  uint64_t frames_ = 0, vectors_ = 0, begun_ = 0;
  uint64_t alive_ = 0;  // in the latest frame
  guint32 longest_ = 0;
};

class Labels final : public ResultSummary {
 public:
  bool add(GstBuffer* frame) override {
    ++frames_;
    const FrameResults results = read_results(frame, {});
    if (!results.scenes.empty())
      ++frames_with_[results.scenes.front().label];
    else if (!results.objects.empty())
      ++frames_with_[results.objects.front().label];
    return !results.scenes.empty() || !results.objects.empty();
  }
  std::string progress() const override { return text(1); }
  std::string summary() const override { return text(3); }

 private:
  /// The `most` labels that most frames have.
  std::string text(std::size_t most) const {
    if (frames_with_.empty()) return "no label";
    std::vector<std::pair<std::string, uint64_t>> labels(frames_with_.begin(), frames_with_.end());
    std::stable_sort(labels.begin(), labels.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    labels.resize(std::min(labels.size(), most));
    std::string text;
    for (const auto& [label, frames] : labels) {
      text += formatted("%s%s in %.0f%%", text.empty() ? "" : ", ", terminal_text(label).c_str(),
                        100 * share(frames, frames_));
    }
    return text + " of the frames";
  }

  uint64_t frames_ = 0;
  std::map<std::string, uint64_t> frames_with_;
};

class NoSpeckle final : public ResultSummary {
 public:
  explicit NoSpeckle(std::optional<int> iterations) {
    if (iterations)
      text_ += formatted(", %d iteration%s a frame", *iterations, *iterations == 1 ? "" : "s");
  }
  bool add(GstBuffer*) override { return true; }
  std::string progress() const override { return text_; }

 private:
  std::string text_ = "speckle reduced";
};

}  // namespace

std::unique_ptr<ResultSummary> summarise_people(GstElement*) { return std::make_unique<People>(); }
std::unique_ptr<ResultSummary> summarise_findings(GstElement*) {
  return std::make_unique<Findings>();
}
std::unique_ptr<ResultSummary> summarise_tracks(GstElement*) { return std::make_unique<Tracks>(); }
std::unique_ptr<ResultSummary> summarise_labels(GstElement*) { return std::make_unique<Labels>(); }
std::unique_ptr<ResultSummary> summarise_speckle(GstElement* bin) {
  return std::make_unique<NoSpeckle>(stage_number(bin, "iterations"));
}

}  // namespace tandem
