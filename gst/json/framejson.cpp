// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/json/framejson.h"

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
template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json confidence_of(const std::optional<gdouble>& value) {
  return value ? rounded(*value, 1e4) : Json(nullptr);
}

Json detection(const FrameObject& object) {
  Json entry = {{"id", object.id},
                {"label", object.label},
                {"label_id", or_null(object.label_id)},
                {"confidence", confidence_of(object.confidence)},
                {"x", object.x},
                {"y", object.y},
                {"w", object.width},
                {"h", object.height}};
  if (object.object_id) {
    entry["object_id"] = *object.object_id;
    entry["predicted"] = object.is_predicted;
  }
  return entry;
}

Json scene(const FrameScene& scene) {
  return {{"label", scene.label},
          {"label_id", or_null(scene.label_id)},
          {"confidence", confidence_of(scene.confidence)}};
}

Json vector(const GstTandemMotionVector& v) {
  return {{"track", v.id},      {"age", v.age},         {"x", position(v.x)},
          {"y", position(v.y)}, {"dx", position(v.dx)}, {"dy", position(v.dy)}};
}

// Nanoseconds since 1970 UTC, if the source attached the time of capture.
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

std::string frame_json_line(GstBuffer* frame, const FrameResults& results,
                            const FrameOrigin& origin) {
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
  for (const FrameObject& object : results.objects) line["detections"].push_back(detection(object));
  for (const FrameScene& one : results.scenes) line["scenes"].push_back(scene(one));
  for (const GstTandemMotionVector& one : results.motion) line["motion"].push_back(vector(one));
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string frame_json_line(GstBuffer* frame, const FrameOrigin& origin) {
  return frame_json_line(frame, read_results(frame, origin.size), origin);
}

}  // namespace tandem
