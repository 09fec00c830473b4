// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-tandemtrack
 *
 * Gives objects ids that stay the same from frame to frame: tracking by detection. Objects come
 * from any detector upstream, as #GstVideoRegionOfInterestMeta or #GstAnalyticsRelationMeta. Where
 * the KLT stages have followed features, their motion vectors move the objects between detections.
 *
 * An object is matched with the detection of its label that overlaps most with where it is
 * expected. It is reported once it was found in `min-hits` frames, and forgotten after `max-age`
 * frames without a detection. The id is written as the parameter `object_id` of the region, as a
 * #GstAnalyticsTrackingMtd, and by tandemmeta2json. On frames without a detection of an object,
 * and on those that the detector left out (its property `interval`), the element adds the object
 * where it is expected.
 *
 * A new stream, a flush, a segment that does not go on, or another frame size removes all objects.
 * So does a gap in the timestamps of more than 10 s and `max-age` frames. No id is used again.
 *
 * |[
 * gst-launch-1.0 filesrc location=people.mp4 ! decodebin ! videoconvert ! vividfilter !
 *   vividhistogram ! vividclassifier ! tandemtrack ! tandemoverlay ! videoconvert ! autovideosink
 * ]|
 */
#include <gst/base/gstbasetransform.h>
#include <gst/tandem/private/guard.h>
#include <gst/tandem/private/propertytable.h>
#include <gst/video/video.h>

#include <map>
#include <utility>
#include <vector>

#include "gst/elements/elements.h"
#include "gst/meta/region.h"
#include "gst/meta/resultmeta.h"
#include "gst/meta/results.h"
#include "gst/track/tracker.h"

GST_DEBUG_CATEGORY_STATIC(tandem_track_debug);
#define GST_CAT_DEFAULT tandem_track_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw(ANY)"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw(ANY)"));

G_DECLARE_FINAL_TYPE(GstTandemTrack, gst_tandem_track, GST, TANDEM_TRACK, GstBaseTransform)

namespace {

using tandem::TrackerSettings;

constexpr tandem::Property<TrackerSettings> kProperties[] = {
    {"iou", "Overlap",
     "Least overlap of a detection with the predicted box of its object (intersection over union)",
     &TrackerSettings::iou, 0.01L, 1},
    {"max-age", "Longest age", "An object without a detection for longer is dropped (frames)",
     &TrackerSettings::max_age, 1, 100'000},
    {"min-hits", "Least hits",
     "Detections of an object before it is reported; frames that the detector leaves out count as "
     "the one before them",
     &TrackerSettings::min_hits, 1, 1000},
    {"coast", "Coast",
     "Longest time for which a missed object is still reported, at its predicted position (frames)",
     &TrackerSettings::coast, 0, 100'000}};

// Frames that overload drops leave gaps too, in which objects keep their ids.
constexpr GstClockTime kLeastGap = 10 * GST_SECOND;

/// The state of the streaming thread.
struct TrackState {
  tandem::ObjectTracker tracker{{}};
  GstSegment segment{};
  tandem::FrameSize size;
  GstClockTime frame_duration = 0;     ///< by the caps; 0: unknown
  bool detectors_mark_frames = false;  ///< frames without the mark were left out by the detector
  bool told_too_many = false, told_other_tracker = false;
  bool saw_frames = false, saw_detector = false;
  tandem::BadResults told_bad;
  GstClockTime last_time = GST_CLOCK_TIME_NONE;  ///< running time of the last frame that has one

  std::map<uint32_t, gint> label_ids;  ///< by label, as detectors gave them
  std::vector<tandem::FoundObject> found;
  std::vector<tandem::FeatureMotion> motion;
};

}  // namespace

struct _GstTandemTrack {
  GstBaseTransform parent;
  TrackerSettings settings;  // under the object lock
  TrackState* state;         // of the streaming thread, and of events between two frames
};

G_DEFINE_TYPE_WITH_CODE(GstTandemTrack, gst_tandem_track, GST_TYPE_BASE_TRANSFORM,
                        GST_DEBUG_CATEGORY_INIT(tandem_track_debug, "tandemtrack", 0,
                                                "ids of objects"))

namespace {

// Removes objects with ids of another tracker, which they keep.
void leave_out_others(GstTandemTrack* self, std::vector<tandem::FrameObject>& objects) {
  const auto others = std::erase_if(objects, [](const auto& o) { return o.object_id.has_value(); });
  if (others > 0 && !std::exchange(self->state->told_other_tracker, true)) {
    GST_ELEMENT_WARNING(self, STREAM, FAILED,
                        ("Objects already have ids of another tracker, which they keep."),
                        ("%" G_GSIZE_FORMAT " objects of a frame", gsize{others}));
  }
  if (objects.size() > tandem::ObjectTracker::kMostObjects &&
      !std::exchange(self->state->told_too_many, true)) {
    GST_ELEMENT_WARNING(
        self, STREAM, FAILED,
        ("A frame has %" G_GSIZE_FORMAT " objects: only the %d of the highest confidence get ids.",
         objects.size(), tandem::ObjectTracker::kMostObjects),
        (nullptr));
  }
}

// No label becomes a quark here, since quarks are never freed.
uint32_t label_of(const tandem::FrameObject& object) {
  const GQuark quark = g_quark_try_string(object.label.c_str());
  return quark == 0 && object.region ? object.region->roi_type : quark;
}

// Adds an object where no detector found it; null when nothing of it lies in the frame.
tandem::FrameObject attach_predicted(GstBuffer* frame, const tandem::TrackedObject& object,
                                     const TrackState& state) {
  const tandem::TrackBox& box = object.box;
  const auto label_id = state.label_ids.find(object.label);
  tandem::FrameObject added;
  added.region =
      tandem::attach_region(frame,
                            {.label = object.label,
                             .label_id = label_id == state.label_ids.end() ? 0 : label_id->second,
                             .confidence = object.confidence,
                             .x = box.x,
                             .y = box.y,
                             .width = box.width,
                             .height = box.height,
                             .is_predicted = true},
                            state.size);
  if (added.region) added.analytics_id = added.region->id;
  return added;
}

// Whether so much time lies between two frames that nothing is where it was.
bool is_gap(GstClockTime from, GstClockTime to, int max_age, GstClockTime frame_duration) {
  if (!GST_CLOCK_TIME_IS_VALID(from) || !GST_CLOCK_TIME_IS_VALID(to)) return false;
  const GstClockTime time = to > from ? to - from : from - to;
  return time > kLeastGap && time / static_cast<guint>(max_age) > frame_duration;
}

void track(GstTandemTrack* self, GstBuffer* frame, GstClockTime now) {
  TrackState& state = *self->state;
  TrackerSettings settings;
  {
    const tandem::ObjectLock lock(self);
    settings = self->settings;
  }
  state.tracker.set(settings);
  if (is_gap(state.last_time, now, settings.max_age, state.frame_duration)) state.tracker.restart();
  if (GST_CLOCK_TIME_IS_VALID(now)) state.last_time = now;
  tandem::FrameResults results = tandem::read_results(frame, state.size);
  tell_bad_results(GST_ELEMENT(self), results.bad, state.told_bad);
  std::vector<tandem::FrameObject>& objects = results.objects;
  const bool has_objects = !objects.empty();
  leave_out_others(self, objects);
  state.found.clear();
  for (const tandem::FrameObject& o : objects) {
    state.found.push_back({{double(o.x), double(o.y), double(o.width), double(o.height)},
                           o.confidence.value_or(1),
                           label_of(o)});
    if (o.label_id) state.label_ids[label_of(o)] = *o.label_id;
  }
  state.motion.clear();
  for (const GstTandemMotionVector& v : results.motion)
    state.motion.push_back({v.x, v.y, v.dx, v.dy});
  const tandem::FrameResultMeta* marks = tandem::result_meta_of(frame);
  const bool is_marked = marks && marks->detector_ran;
  if (is_marked) state.detectors_mark_frames = true;
  state.saw_frames = true;
  state.saw_detector |= is_marked || has_objects;
  const bool detected = is_marked || !objects.empty() || !state.detectors_mark_frames;
  for (const tandem::TrackedObject& o :
       state.tracker.advance(state.found, detected, state.motion, now)) {
    const tandem::FrameObject object = o.detection >= 0
                                           ? objects[static_cast<std::size_t>(o.detection)]
                                           : attach_predicted(frame, o, state);
    if (object.region || object.analytics_id >= 0)
      tandem::set_object_id(frame, object, o.id, o.first_seen, o.last_seen);
  }
}

}  // namespace

static gboolean gst_tandem_track_set_caps(GstBaseTransform* base, GstCaps* in, GstCaps*) {
  TrackState& state = *GST_TANDEM_TRACK(base)->state;
  const GstStructure* video = gst_caps_get_structure(in, 0);
  tandem::FrameSize size;
  if (!gst_structure_get_int(video, "width", &size.width) ||
      !gst_structure_get_int(video, "height", &size.height))
    return FALSE;
  if (size.width != state.size.width || size.height != state.size.height) state.tracker.restart();
  state.size = size;
  gint frames = 0, seconds = 0;  // a fraction
  if (gst_structure_get_fraction(video, "framerate", &frames, &seconds) && frames > 0)
    state.frame_duration = gst_util_uint64_scale_int(GST_SECOND, seconds, frames);
  else
    state.frame_duration = 0;
  return TRUE;
}

static gboolean gst_tandem_track_start(GstBaseTransform* base) {
  TrackState& state = *GST_TANDEM_TRACK(base)->state;
  state.tracker.restart();
  state.detectors_mark_frames = state.told_too_many = state.told_other_tracker = false;
  state.saw_frames = state.saw_detector = false;
  state.told_bad = {};
  state.last_time = GST_CLOCK_TIME_NONE;
  return TRUE;
}

// Whether positions of both have the same running time and stream time.
static bool goes_on(const GstSegment& before, const GstSegment& now) {
  return before.format == now.format && before.rate == now.rate &&
         before.applied_rate == now.applied_rate && before.offset == now.offset &&
         before.base - before.start == now.base - now.start &&
         before.time - before.start == now.time - now.start;
}

static gboolean gst_tandem_track_sink_event(GstBaseTransform* base, GstEvent* event) {
  TrackState& state = *GST_TANDEM_TRACK(base)->state;
  const auto restart = [&state] {
    state.tracker.restart();
    state.last_time = GST_CLOCK_TIME_NONE;
  };
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_EOS:
      if (state.saw_frames && !state.saw_detector) {
        GST_ELEMENT_WARNING(base, STREAM, FAILED,
                            ("No frame had an object. Put a detector before tandemtrack."),
                            ("Detectors of Tandem mark frames in which they find nothing."));
      }
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_FLUSH_STOP:
      restart();
      break;
    case GST_EVENT_SEGMENT: {
      GstSegment segment;
      gst_event_copy_segment(event, &segment);
      if (!goes_on(std::exchange(state.segment, segment), segment)) restart();
      break;
    }
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS(gst_tandem_track_parent_class)->sink_event(base, event);
}

static GstFlowReturn gst_tandem_track_transform_ip(GstBaseTransform* base, GstBuffer* frame) {
  GstTandemTrack* self = GST_TANDEM_TRACK(base);
  const GstClockTime now =
      gst_segment_to_running_time(&base->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(frame));
  const tandem::Status status = tandem::guard([&] {
    track(self, frame, now);
    return tandem::Status();
  });
  if (status.ok()) return GST_FLOW_OK;
  GST_ELEMENT_ERROR(self, STREAM, FAILED, ("Objects cannot be tracked."),
                    ("%s", status.message().c_str()));
  return GST_FLOW_ERROR;
}

static TrackerSettings& settings_of(GObject* object) { return GST_TANDEM_TRACK(object)->settings; }

static void gst_tandem_track_finalize(GObject* object) {
  delete GST_TANDEM_TRACK(object)->state;
  G_OBJECT_CLASS(gst_tandem_track_parent_class)->finalize(object);
}

static void gst_tandem_track_class_init(GstTandemTrackClass* klass) {
  G_OBJECT_CLASS(klass)->finalize = gst_tandem_track_finalize;
  tandem::install_properties<kProperties, settings_of>(G_OBJECT_CLASS(klass));
  GstElementClass* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Tandem tracker", "Filter/Analyzer/Video",
      "Assigns ids to detected objects, which stay the same from frame to frame",
      "The Tandem authors");

  GstBaseTransformClass* base = GST_BASE_TRANSFORM_CLASS(klass);
  base->set_caps = gst_tandem_track_set_caps;
  base->start = gst_tandem_track_start;
  base->sink_event = gst_tandem_track_sink_event;
  base->transform_ip = gst_tandem_track_transform_ip;
}

static void gst_tandem_track_init(GstTandemTrack* self) {
  self->settings = TrackerSettings();
  self->state = new TrackState;
  gst_base_transform_set_in_place(GST_BASE_TRANSFORM_CAST(self), TRUE);
}
