// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/meta/results.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "gst/meta/analytics.h"
#include "gst/meta/region.h"
#include "gst/meta/resultmeta.h"

namespace tandem {
namespace {

std::optional<gdouble> confidence_of(const GstStructure* s) {
  gdouble value = 0;
  if (s && gst_structure_get_double(s, "confidence", &value)) return value;
  return std::nullopt;
}

std::optional<gint> label_id_of(const GstStructure* s) {
  gint value = 0;
  if (s && gst_structure_get_int(s, "label_id", &value)) return value;
  return std::nullopt;
}

const gchar* text_of(GQuark quark) {
  const gchar* text = g_quark_to_string(quark);
  return text ? text : "";
}

/// Finds results of regions; those of one frame are in the order of its regions.
class ResultsOfRegions {
 public:
  explicit ResultsOfRegions(const FrameResultMeta* meta) : results_(results_in(meta)) {}

  const RegionResult* of(const GstVideoRegionOfInterestMeta* region) {
    const auto begin = results_.begin(), end = results_.end();
    // Regions of other elements may have the same id.
    const auto is_same = [&](const RegionResult& r) {
      return r.region == region->id && r.label == region->roi_type;
    };
    auto found = std::find_if(begin + next_, end, is_same);
    if (found == end) found = std::find_if(begin, end, is_same);
    if (found == end) return nullptr;
    next_ = found - begin + 1;
    return &*found;
  }

 private:
  const std::span<const RegionResult> results_;
  std::ptrdiff_t next_ = 0;
};

FrameObject object_of(GstVideoRegionOfInterestMeta* region, const RegionResult* result) {
  FrameObject object;
  object.region = region;
  object.x = static_cast<gint>(region->x);
  object.y = static_cast<gint>(region->y);
  object.width = static_cast<gint>(region->w);
  object.height = static_cast<gint>(region->h);
  object.id = region->id;
  if (result) {
    object.id = result->id;
    object.label = text_of(result->label);
    object.label_id = result->label_id;
    object.confidence = result->confidence;
    if (result->object_id) object.object_id = result->object_id;
    object.is_predicted = result->is_predicted;
    return object;
  }
  const GstStructure* detection = param_of(region, "detection");
  object.label = label_of(region);
  object.label_id = label_id_of(detection);
  object.confidence = confidence_of(detection);
  const GstStructure* track = param_of(region, "object_id");  // as DL Streamer's gvatrack writes it
  gint id = 0;
  if (track && gst_structure_get_int(track, "id", &id) && id > 0)
    object.object_id = static_cast<uint64_t>(id);
  return object;
}

FrameScene scene_of(const RegionResult* result, const GstStructure* scene) {
  if (result) return {text_of(result->label), result->label_id, result->confidence};
  const gchar* label = gst_structure_get_string(scene, "label");
  return {label ? label : "", label_id_of(scene), confidence_of(scene)};
}

// Both are scaled and rounded by different code.
bool is_same(const FrameObject& a, const FrameObject& b) {
  constexpr int kRounding = 2;  // pixels
  const auto near = [](gint p, gint q) { return std::abs(int64_t{p} - q) <= kRounding; };
  return near(a.x, b.x) && near(a.y, b.y) && near(a.width, b.width) && near(a.height, b.height) &&
         std::strcmp(a.label, b.label) == 0;
}

/// Puts regions to what was read before them.
class Reader {
 public:
  Reader(GstBuffer* frame, FrameResults& results)
      : results_(results), of_regions_(result_meta_of(frame)) {
    analytics::read(frame, results_);
    for (std::size_t i = 0; i < results_.objects.size(); ++i)
      object_with_[results_.objects[i].analytics_id] = i;
    known_scenes_ = results_.scenes.size();
  }

  void add(GstVideoRegionOfInterestMeta* region) {
    const RegionResult* result = of_regions_.of(region);
    const GstStructure* scene = result ? nullptr : param_of(region, "scene");
    if (scene || (result && result->is_scene))
      add_scene(scene_of(result, scene));
    else
      add_object(region->id, object_of(region, result));
  }

 private:
  void add_scene(const FrameScene& scene) {
    const auto end = results_.scenes.begin() + static_cast<std::ptrdiff_t>(known_scenes_);
    const auto known = std::find_if(results_.scenes.begin(), end, [&](const FrameScene& other) {
      return std::strcmp(other.label, scene.label) == 0;
    });
    if (known == end)
      results_.scenes.push_back(scene);
    else
      *known = scene;  // it has the number of its label too
  }

  void add_object(gint id, FrameObject object) {
    const auto same = object_with_.find(id);
    if (same == object_with_.end() || !is_same(results_.objects[same->second], object)) {
      results_.objects.push_back(object);
      return;
    }
    FrameObject& known = results_.objects[same->second];
    object.analytics_id = known.analytics_id;
    if (!object.object_id) object.object_id = known.object_id;
    known = object;
  }

  FrameResults& results_;
  ResultsOfRegions of_regions_;
  std::unordered_map<gint, std::size_t> object_with_;  // that id in the relation meta
  std::size_t known_scenes_ = 0;
};

// Moves boxes into the part that is seen, and leaves out those outside of it.
void heed_crop(const GstVideoCropMeta& crop, std::vector<FrameObject>& objects) {
  std::erase_if(objects, [&](FrameObject& o) {
    const int64_t left = std::max<int64_t>(int64_t{o.x} - crop.x, 0);
    const int64_t top = std::max<int64_t>(int64_t{o.y} - crop.y, 0);
    const int64_t right = std::min<int64_t>(int64_t{o.x} - crop.x + o.width, crop.width);
    const int64_t bottom = std::min<int64_t>(int64_t{o.y} - crop.y + o.height, crop.height);
    if (left >= right || top >= bottom) return true;
    o.x = static_cast<gint>(left);
    o.y = static_cast<gint>(top);
    o.width = static_cast<gint>(right - left);
    o.height = static_cast<gint>(bottom - top);
    return false;
  });
}

}  // namespace

FrameResults read_results(GstBuffer* frame) {
  FrameResults results;
  Reader reader(frame, results);
  for (gpointer state = nullptr; GstVideoRegionOfInterestMeta* region = next_region(frame, &state);)
    reader.add(region);
  if (const GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(frame))
    heed_crop(*crop, results.objects);
  return results;
}

bool has_results(GstBuffer* frame) {
  gpointer state = nullptr;
  return next_region(frame, &state) || analytics::is_on(frame);
}

}  // namespace tandem
