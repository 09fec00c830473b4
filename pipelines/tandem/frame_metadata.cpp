// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/frame_metadata.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

GstStructure* detection_of(const GstVideoRegionOfInterestMeta* region) {
  // GStreamer only reads what it is given here.
  return gst_video_region_of_interest_meta_get_param(
      const_cast<GstVideoRegionOfInterestMeta*>(region), "detection");
}

Json describe(const GstVideoRegionOfInterestMeta* region) {
  gdouble confidence = 0;
  const GstStructure* detection = detection_of(region);
  const bool known = detection && gst_structure_get_double(detection, "confidence", &confidence);
  return {{"x", region->x},
          {"y", region->y},
          {"w", region->w},
          {"h", region->h},
          {"label", label_of(region)},
          {"confidence", known ? Json(confidence) : nullptr}};
}

Json describe(const GstTandemMotionVector& v) {
  return {{"x", v.x}, {"y", v.y}, {"dx", v.dx}, {"dy", v.dy}, {"track", v.id}, {"age", v.age}};
}

}  // namespace

GstVideoRegionOfInterestMeta* next_region(GstBuffer* frame, gpointer* state) {
  return reinterpret_cast<GstVideoRegionOfInterestMeta*>(
      gst_buffer_iterate_meta_filtered(frame, state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
}

std::string label_of(const GstVideoRegionOfInterestMeta* region) {
  const GstStructure* detection = detection_of(region);
  const gchar* label = detection ? gst_structure_get_string(detection, "label") : nullptr;
  if (!label) label = g_quark_to_string(region->roi_type);
  return label ? label : "";
}

const GstTandemMotionMeta* motion_of(GstBuffer* frame) {
  const GType type = g_type_from_name("GstTandemMotionMetaAPI");
  if (type == G_TYPE_INVALID) return nullptr;  // the plugin has put none on any frame yet
  return reinterpret_cast<GstTandemMotionMeta*>(gst_buffer_get_meta(frame, type));
}

nlohmann::ordered_json describe_frame(GstBuffer* frame, uint64_t number) {
  Json line = {{"pts", nullptr}, {"frame", number}, {"regions", Json::array()}};
  if (GST_BUFFER_PTS_IS_VALID(frame)) line["pts"] = GST_BUFFER_PTS(frame);
  for (gpointer state = nullptr; const auto* region = next_region(frame, &state);)
    line["regions"].push_back(describe(region));
  if (const GstTandemMotionMeta* motion = motion_of(frame)) {
    Json& vectors = line["vectors"] = Json::array();
    for (guint i = 0; i < motion->count; ++i) vectors.push_back(describe(motion->vectors[i]));
  }
  return line;
}

}  // namespace tandem
