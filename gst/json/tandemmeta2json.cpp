// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-tandemmeta2json
 *
 * Takes frames and gives a line of JSON for each: its #GstVideoRegionOfInterestMeta and
 * #GstAnalyticsRelationMeta as detections or labels of the scene, its #GstTandemMotionMeta, its
 * number, times and size. The fields are in
 * docs/json-lines.md. Pixels are never read, so frames may lie in any memory.
 *
 * |[
 * gst-launch-1.0 filesrc location=people.mp4 ! decodebin ! videoconvert ! vividfilter !
 *   vividhistogram ! vividclassifier ! tandemmeta2json ! filesink location=people.jsonl
 * ]|
 */
#include <gst/base/gstbasetransform.h>
#include <gst/tandem/private/guard.h>
#include <gst/tandem/private/propertytable.h>
#include <gst/video/video.h>

#include <string>
#include <utility>

#include "gst/elements/elements.h"
#include "gst/json/framejson.h"

GST_DEBUG_CATEGORY_STATIC(tandem_meta_2_json_debug);
#define GST_CAT_DEFAULT tandem_meta_2_json_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw(ANY)"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("application/x-json-lines"));

G_DECLARE_FINAL_TYPE(GstTandemMeta2Json, gst_tandem_meta_2_json, GST, TANDEM_META_2_JSON,
                     GstBaseTransform)

namespace {

struct Settings {
  std::string source_id;
};

constexpr tandem::Property<Settings> kProperties[] = {
    {"source-id", "Source id",
     "Name of the stream in each line, for readers of several streams (any text)",
     &Settings::source_id}};

}  // namespace

struct _GstTandemMeta2Json {
  GstBaseTransform parent;
  Settings* settings;      // under the object lock
  tandem::FrameSize size;  // the streaming thread's, as is what follows
  guint64 frames;
  tandem::BadResults told;
};

G_DEFINE_TYPE_WITH_CODE(GstTandemMeta2Json, gst_tandem_meta_2_json, GST_TYPE_BASE_TRANSFORM,
                        GST_DEBUG_CATEGORY_INIT(tandem_meta_2_json_debug, "tandemmeta2json", 0,
                                                "writes metadata as lines of JSON"))

static gboolean gst_tandem_meta_2_json_start(GstBaseTransform* base) {
  auto* self = GST_TANDEM_META_2_JSON(base);
  self->frames = 0;
  self->told = {};
  return TRUE;
}

static GstCaps* gst_tandem_meta_2_json_transform_caps(GstBaseTransform*, GstPadDirection direction,
                                                      GstCaps*, GstCaps* filter) {
  // Any frame becomes lines, and caps of lines do not restrict caps of frames.
  GstCaps* caps =
      gst_static_pad_template_get_caps(direction == GST_PAD_SINK ? &src_template : &sink_template);
  if (!filter) return caps;
  GstCaps* both = gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(caps);
  return both;
}

// GstVideoInfo has the formats of system memory alone.
static gboolean gst_tandem_meta_2_json_set_caps(GstBaseTransform* base, GstCaps* in, GstCaps*) {
  auto* self = GST_TANDEM_META_2_JSON(base);
  const GstStructure* video = gst_caps_get_structure(in, 0);
  return gst_structure_get_int(video, "width", &self->size.width) &&
         gst_structure_get_int(video, "height", &self->size.height);
}

// No pool: a line is as long as it is.
static gboolean gst_tandem_meta_2_json_decide_allocation(GstBaseTransform*, GstQuery*) {
  return TRUE;
}

// Accepts frames with strides of their own and cropped ones. With the crop meta, videocrop only
// marks the visible part, and regions stay on the frame. It drops regions when it copies pixels.
static gboolean gst_tandem_meta_2_json_propose_allocation(GstBaseTransform*, GstQuery*,
                                                          GstQuery* query) {
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  gst_query_add_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, nullptr);
  return TRUE;
}

static GstBuffer* wrap(std::string line) {
  auto* kept = new std::string(std::move(line));
  return gst_buffer_new_wrapped_full(static_cast<GstMemoryFlags>(0), kept->data(), kept->size(), 0,
                                     kept->size(), kept,
                                     [](gpointer text) { delete static_cast<std::string*>(text); });
}

static GstFlowReturn gst_tandem_meta_2_json_prepare_output_buffer(GstBaseTransform* base,
                                                                  GstBuffer* in, GstBuffer** out) {
  auto* self = GST_TANDEM_META_2_JSON(base);
  const tandem::Status status = tandem::guard([&] {
    tandem::FrameOrigin origin{{}, self->frames, self->size, g_get_real_time()};
    {
      const tandem::ObjectLock lock(self);
      origin.source = self->settings->source_id;
    }
    const tandem::FrameResults results = tandem::read_results(in, self->size);
    tell_bad_results(GST_ELEMENT(self), results.bad, self->told);
    *out = wrap(tandem::frame_json_line(in, results, origin));
    return tandem::Status();
  });
  if (!status.ok()) {
    GST_ELEMENT_ERROR(self, STREAM, FAILED, ("The frame cannot be written as JSON."),
                      ("%s", status.message().c_str()));
    return GST_FLOW_ERROR;
  }
  ++self->frames;
  // Times and offsets; of the flags those that apply to bytes too.
  gst_buffer_copy_into(*out, in, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  if (GST_BUFFER_IS_DISCONT(in)) GST_BUFFER_FLAG_SET(*out, GST_BUFFER_FLAG_DISCONT);
  return GST_FLOW_OK;
}

// All is done when the buffer is there. The base class needs this to know that it is another one.
static GstFlowReturn gst_tandem_meta_2_json_transform(GstBaseTransform*, GstBuffer*, GstBuffer*) {
  return GST_FLOW_OK;
}

static Settings& settings_of(GObject* object) { return *GST_TANDEM_META_2_JSON(object)->settings; }

static void gst_tandem_meta_2_json_finalize(GObject* object) {
  delete GST_TANDEM_META_2_JSON(object)->settings;
  G_OBJECT_CLASS(gst_tandem_meta_2_json_parent_class)->finalize(object);
}

static void gst_tandem_meta_2_json_class_init(GstTandemMeta2JsonClass* klass) {
  GObjectClass* object = G_OBJECT_CLASS(klass);
  object->finalize = gst_tandem_meta_2_json_finalize;
  tandem::install_properties<kProperties, settings_of>(object);

  GstElementClass* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Tandem metadata to JSON", "Converter/Metadata/Video",
      "Writes the detections, scene labels and motion of each frame as a line of JSON",
      "The Tandem authors");

  GstBaseTransformClass* base = GST_BASE_TRANSFORM_CLASS(klass);
  base->start = gst_tandem_meta_2_json_start;
  base->transform_caps = gst_tandem_meta_2_json_transform_caps;
  base->set_caps = gst_tandem_meta_2_json_set_caps;
  base->decide_allocation = gst_tandem_meta_2_json_decide_allocation;
  base->propose_allocation = gst_tandem_meta_2_json_propose_allocation;
  base->prepare_output_buffer = gst_tandem_meta_2_json_prepare_output_buffer;
  base->transform = gst_tandem_meta_2_json_transform;
}

static void gst_tandem_meta_2_json_init(GstTandemMeta2Json* self) { self->settings = new Settings; }
