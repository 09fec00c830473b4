// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/meta/framejson.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kSecondsFrom1900To1970 = 2208988800;

// A number with so many digits behind the point. The writer takes the shortest text that reads back
// the same, which for these has no more of them.
Json rounded(double value, double scale) { return std::round(value * scale) / scale; }
Json position(double pixels) { return rounded(pixels, 1e2); }
Json confidence_of(const GstStructure* s) {
  gdouble value = 0;
  if (!s || !gst_structure_get_double(s, "confidence", &value)) return nullptr;
  return rounded(value, 1e4);
}

Json label_id_of(const GstStructure* s) {
  gint id = 0;
  return s && gst_structure_get_int(s, "label_id", &id) ? Json(id) : Json(nullptr);
}

Json detection(const GstVideoRegionOfInterestMeta* region) {
  const GstStructure* told = param_of(region, "detection");
  return {{"id", region->id},
          {"label", label_of(region)},
          {"label_id", label_id_of(told)},
          {"confidence", confidence_of(told)},
          {"x", region->x},
          {"y", region->y},
          {"w", region->w},
          {"h", region->h}};
}

Json scene(const GstStructure* told) {
  const gchar* label = gst_structure_get_string(told, "label");
  return {{"label", label ? label : ""},
          {"label_id", label_id_of(told)},
          {"confidence", confidence_of(told)}};
}

Json vector(const GstTandemMotionVector& v) {
  return {{"track", v.id},      {"age", v.age},         {"x", position(v.x)},
          {"y", position(v.y)}, {"dx", position(v.dx)}, {"dy", position(v.dy)}};
}

// Nanoseconds since 1970 UTC, where the source said when the frame was taken.
std::optional<uint64_t> time_taken(GstBuffer* frame) {
  gpointer state = nullptr;
  while (GstMeta* found = gst_buffer_iterate_meta_filtered(frame, &state,
                                                           GST_REFERENCE_TIMESTAMP_META_API_TYPE)) {
    const auto* meta = reinterpret_cast<const GstReferenceTimestampMeta*>(found);
    if (!GST_CLOCK_TIME_IS_VALID(meta->timestamp)) continue;
    const GstStructure* reference = gst_caps_get_structure(meta->reference, 0);
    if (gst_structure_has_name(reference, "timestamp/x-unix")) return meta->timestamp;
    constexpr uint64_t kOffset = kSecondsFrom1900To1970 * GST_SECOND;
    if (gst_structure_has_name(reference, "timestamp/x-ntp") && meta->timestamp >= kOffset)
      return meta->timestamp - kOffset;
  }
  return std::nullopt;
}

// RFC 3339 in UTC with milliseconds.
std::string time_text(uint64_t ms) {
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char day[32], text[48];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text, sizeof text, "%s.%03uZ", day, static_cast<unsigned>(ms % 1000));
  return text;
}

}  // namespace

const GstTandemMotionMeta* motion_of(GstBuffer* frame) {
  const GType type = g_type_from_name("GstTandemMotionMetaAPI");
  if (type == G_TYPE_INVALID) return nullptr;  // nobody has put any on any frame yet
  return reinterpret_cast<GstTandemMotionMeta*>(gst_buffer_get_meta(frame, type));
}

std::string frame_json_line(GstBuffer* frame, const FrameOrigin& origin) {
  const std::optional<uint64_t> taken_ns = time_taken(frame);
  const uint64_t time_ms = taken_ns
                               ? *taken_ns / 1'000'000
                               : static_cast<uint64_t>(std::max<int64_t>(origin.now_us, 0)) / 1000;
  Json line = {{"schema", kFrameSchema},      {"schema_version", kFrameSchemaVersion},
               {"source", origin.source},     {"frame", origin.number},
               {"pts_ns", nullptr},           {"time", time_text(time_ms)},
               {"width", origin.size.width},  {"height", origin.size.height},
               {"detections", Json::array()}, {"scenes", Json::array()},
               {"motion", Json::array()}};
  if (GST_BUFFER_PTS_IS_VALID(frame)) line["pts_ns"] = GST_BUFFER_PTS(frame);
  for (gpointer state = nullptr; const auto* region = next_region(frame, &state);) {
    if (const GstStructure* told = param_of(region, "scene"))
      line["scenes"].push_back(scene(told));
    else
      line["detections"].push_back(detection(region));
  }
  if (const GstTandemMotionMeta* motion = motion_of(frame)) {
    Json& vectors = line["motion"];
    for (guint i = 0; i < motion->count; ++i) vectors.push_back(vector(motion->vectors[i]));
  }
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace tandem
