// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/meta/results.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <unordered_map>

#include "gst/meta/analytics.h"
#include "gst/meta/region.h"
#include "gst/meta/resultmeta.h"

namespace tandem {
namespace {

std::optional<gdouble> confidence_of(const GstStructure* s, BadResults& bad) {
  gdouble value = 0;
  if (!s || !gst_structure_has_field(s, "confidence")) return std::nullopt;
  if (gst_structure_get_double(s, "confidence", &value)) return clean_confidence(value, bad);
  ++bad.confidences;
  return std::nullopt;
}

std::optional<gint> label_id_of(const GstStructure* s) {
  gint value = 0;
  if (s && gst_structure_get_int(s, "label_id", &value)) return value;
  return std::nullopt;
}

/// Finds results of regions; those of one frame are in the order of its regions.
class ResultsOfRegions {
 public:
  explicit ResultsOfRegions(const FrameResultMeta* meta) : results_(results_in(meta)) {}

  const RegionResult* of(const GstVideoRegionOfInterestMeta* region) {
    if (next_ < results_.size() && is_of(results_[next_], region)) return &results_[next_++];
    if (with_id_.empty())
      for (const RegionResult& result : results_) with_id_.try_emplace(result.region, &result);
    const auto found = with_id_.find(region->id);
    return found != with_id_.end() && is_of(*found->second, region) ? found->second : nullptr;
  }

 private:
  // Regions of other elements may have the same id.
  static bool is_of(const RegionResult& result, const GstVideoRegionOfInterestMeta* region) {
    return result.region == region->id && result.label == region->roi_type;
  }

  const std::span<const RegionResult> results_;
  std::size_t next_ = 0;
  std::unordered_map<gint, const RegionResult*> with_id_;  // filled for a region out of order
};

FrameObject object_of(GstVideoRegionOfInterestMeta* region, const RegionResult* result,
                      BadResults& bad) {
  FrameObject object;
  object.region = region;
  // A negative place, which the meta cannot hold, is a huge one there.
  object.x = static_cast<gint>(region->x);
  object.y = static_cast<gint>(region->y);
  object.width = static_cast<gint>(region->w);
  object.height = static_cast<gint>(region->h);
  object.id = region->id;
  if (result) {
    object.id = result->id;
    object.label = clean_label(g_quark_to_string(result->label), bad);
    object.label_id = result->label_id;
    object.confidence = clean_confidence(result->confidence, bad);
    if (result->object_id) object.object_id = result->object_id;
    object.is_predicted = result->is_predicted;
    return object;
  }
  const GstStructure* detection = param_of(region, "detection");
  object.label = clean_label(label_of(region), bad);
  object.label_id = label_id_of(detection);
  object.confidence = confidence_of(detection, bad);
  const GstStructure* track = param_of(region, "object_id");  // as DL Streamer's gvatrack writes it
  gint id = 0;
  if (track && gst_structure_get_int(track, "id", &id) && id > 0)
    object.object_id = static_cast<uint64_t>(id);
  return object;
}

FrameScene scene_of(const RegionResult* result, const GstStructure* scene, BadResults& bad) {
  if (result)
    return {clean_label(g_quark_to_string(result->label), bad), result->label_id,
            clean_confidence(result->confidence, bad)};
  return {clean_label(gst_structure_get_string(scene, "label"), bad), label_id_of(scene),
          confidence_of(scene, bad)};
}

// Both are scaled and rounded by different code.
bool is_same(const FrameObject& a, const FrameObject& b) {
  constexpr int kRounding = 2;  // pixels
  const auto near = [](gint p, gint q) { return std::abs(int64_t{p} - q) <= kRounding; };
  return near(a.x, b.x) && near(a.y, b.y) && near(a.width, b.width) && near(a.height, b.height) &&
         a.label == b.label;
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
    if (results_.objects.size() + results_.scenes.size() >= kMostObjects) {
      ++results_.bad.not_read;
      return;
    }
    const RegionResult* result = of_regions_.of(region);
    const GstStructure* scene = result ? nullptr : param_of(region, "scene");
    if (scene || (result && result->is_scene))
      add_scene(scene_of(result, scene, results_.bad));
    else
      add_object(region->id, object_of(region, result, results_.bad));
  }

 private:
  void add_scene(const FrameScene& scene) {
    const auto end = results_.scenes.begin() + static_cast<std::ptrdiff_t>(known_scenes_);
    const auto known = std::find_if(results_.scenes.begin(), end, [&](const FrameScene& other) {
      return other.label == scene.label;
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

/// The part of a buffer that is seen.
struct View {
  int64_t x = 0, y = 0, width = 0, height = 0;
  bool is_part = false;  ///< an element marked what is cut off
};

View view_of(GstBuffer* frame, FrameSize size) {
  View view;
  const auto side = [](gint pixels) { return pixels > 0 ? int64_t{pixels} : int64_t{G_MAXINT}; };
  view.width = side(size.width);
  view.height = side(size.height);
  const GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(frame);
  if (!crop) return view;
  return {crop->x, crop->y, std::min<int64_t>(crop->width, view.width),
          std::min<int64_t>(crop->height, view.height), true};
}

// Moves boxes into the part that is seen, cuts them at its edges, and leaves out the others.
void keep_seen(const View& view, FrameResults& results) {
  std::erase_if(results.objects, [&](FrameObject& o) {
    const int64_t x = o.x - view.x, y = o.y - view.y;
    const int64_t left = std::max<int64_t>(x, 0), right = std::min(x + o.width, view.width);
    const int64_t top = std::max<int64_t>(y, 0), bottom = std::min(y + o.height, view.height);
    const bool is_seen = o.width > 0 && o.height > 0 && left < right && top < bottom;
    if (!is_seen) {
      if (!view.is_part || o.width <= 0 || o.height <= 0) ++results.bad.boxes;
      return true;
    }
    o.x = static_cast<gint>(left);
    o.y = static_cast<gint>(top);
    o.width = static_cast<gint>(right - left);
    o.height = static_cast<gint>(bottom - top);
    return false;
  });
}

void read_motion(GstBuffer* frame, const View& view, FrameResults& results) {
  const GstTandemMotionMeta* motion = motion_of(frame);
  if (!motion) return;
  if (motion->count > kMostVectors) results.bad.not_read += motion->count - kMostVectors;
  for (gsize i = 0; i < std::min<gsize>(motion->count, kMostVectors); ++i) {
    GstTandemMotionVector v = motion->vectors[i];
    v.x -= static_cast<float>(view.x);
    v.y -= static_cast<float>(view.y);
    const bool is_finite =
        std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.dx) && std::isfinite(v.dy);
    const bool is_seen = v.x >= 0 && v.y >= 0 && v.x < static_cast<float>(view.width) &&
                         v.y < static_cast<float>(view.height);
    if (is_finite && is_seen)
      results.motion.push_back(v);
    else if (!is_finite || !view.is_part)
      ++results.bad.vectors;
  }
}

}  // namespace

std::string clean_label(const gchar* text, BadResults& bad) {
  if (!text) return {};
  gsize bytes = strnlen(text, kMostLabelBytes + 1);
  const bool is_cut = bytes > kMostLabelBytes;
  if (is_cut) {  // between two characters
    for (bytes = kMostLabelBytes; bytes > 0 && (text[bytes] & 0xC0) == 0x80;) --bytes;
  }
  const bool is_valid = g_utf8_validate_len(text, bytes, nullptr);
  if (is_cut || !is_valid) ++bad.labels;
  if (is_valid) return {text, bytes};
  const std::unique_ptr<gchar, void (*)(void*)> valid(
      g_utf8_make_valid(text, static_cast<gssize>(bytes)), g_free);
  return valid.get();
}

std::optional<gdouble> clean_confidence(gdouble value, BadResults& bad) {
  constexpr gdouble kRounding = 1e-3;
  if (value >= -kRounding && value <= 1 + kRounding) return std::clamp(value, 0.0, 1.0);
  ++bad.confidences;
  return std::nullopt;
}

void tell_bad_results(GstElement* element, const BadResults& bad, BadResults& told) {
  constexpr struct {
    gsize BadResults::*count;
    const char *what, *consequence;
  } kKinds[] = {
      {&BadResults::boxes, "Objects have boxes without an area or outside of the frame",
       "they are left out"},
      {&BadResults::confidences, "Objects have confidences that are not numbers from 0 to 1",
       "they count as unknown"},
      {&BadResults::labels, "Labels are not UTF-8 or too long",
       "invalid bytes are replaced, and at most 256 bytes are read"},
      {&BadResults::vectors, "Motion vectors are not finite or outside of the frame",
       "they are left out"},
      {&BadResults::not_read, "A frame has more than 10000 objects or 100000 motion vectors",
       "the others are left out"}};
  for (const auto& [count, what, consequence] : kKinds) {
    if (bad.*count == 0 || told.*count > 0) continue;
    told.*count = bad.*count;
    GST_ELEMENT_WARNING(
        element, STREAM, FAILED, ("%s: %s.", what, consequence),
        ("%" G_GSIZE_FORMAT " in this frame. Later frames are treated alike, without a message.",
         bad.*count));
  }
}

FrameResults read_results(GstBuffer* frame, FrameSize size) {
  FrameResults results;
  Reader reader(frame, results);
  for (gpointer state = nullptr; GstVideoRegionOfInterestMeta* region = next_region(frame, &state);)
    reader.add(region);
  const View view = view_of(frame, size);
  keep_seen(view, results);
  read_motion(frame, view, results);
  return results;
}

bool has_results(GstBuffer* frame) {
  gpointer state = nullptr;
  return next_region(frame, &state) || analytics::is_on(frame);
}

const GstTandemMotionMeta* motion_of(GstBuffer* frame) {
  const GType type = g_type_from_name("GstTandemMotionMetaAPI");
  if (type == G_TYPE_INVALID) return nullptr;  // no frame has had one yet
  return reinterpret_cast<GstTandemMotionMeta*>(gst_buffer_get_meta(frame, type));
}

}  // namespace tandem
