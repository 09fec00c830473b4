// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-tandemoverlay
 *
 * Draws the objects and scenes of each frame, from #GstVideoRegionOfInterestMeta and
 * #GstAnalyticsRelationMeta of any element: a box with label, id and confidence, in any script that
 * the machine has a font for; and its #GstTandemMotionMeta: for each vector a line from where the
 * feature was to where it is, in the colour of its track. A frame without any passes untouched and
 * is never copied.
 *
 * |[
 * gst-launch-1.0 filesrc location=people.mp4 ! decodebin ! videoconvert ! vividfilter !
 *   vividhistogram ! vividclassifier ! tandemoverlay ! videoconvert ! autovideosink
 * ]|
 */
#include <gst/base/gstbasetransform.h>
#include <gst/tandem/private/guard.h>
#include <gst/tandem/private/propertytable.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gst/elements/elements.h"
#include "gst/meta/results.h"
#include "gst/overlay/canvas.h"
#include "gst/overlay/lettering.h"

GST_DEBUG_CATEGORY_STATIC(tandem_overlay_debug);
#define GST_CAT_DEFAULT tandem_overlay_debug

#define OVERLAY_FORMATS                                                                         \
  "{ I420, YV12, NV12, NV21, YUY2, UYVY, YVYU, Y42B, Y444, GRAY8, RGB, BGR, RGBx, BGRx, xRGB, " \
  "xBGR, RGBA, BGRA, ARGB, ABGR }"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(OVERLAY_FORMATS)));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(OVERLAY_FORMATS)));

G_DECLARE_FINAL_TYPE(GstTandemOverlay, gst_tandem_overlay, GST, TANDEM_OVERLAY, GstBaseTransform)

namespace {

struct Settings {
  guint line_width = 0;
  bool labels = true;
  bool color_by_label = true;
  double vector_scale = 5;
};

constexpr tandem::Property<Settings> kProperties[] = {
    {"line-width", "Line width",
     "Thickness of boxes and vectors; 0: by the frame's height (pixels)", &Settings::line_width, 0,
     1000},
    {"labels", "Labels", "Write label and confidence at each box", &Settings::labels},
    {"color-by-label", "Color by label",
     "One colour for each label, or for each object with an id; otherwise one for all",
     &Settings::color_by_label},
    {"vector-scale", "Vector scale",
     "Length of motion vectors (multiples of the motion in one frame)", &Settings::vector_scale, 0,
     100}};

}  // namespace

struct _GstTandemOverlay {
  GstBaseTransform parent;
  Settings settings;          // under the object lock
  GstVideoInfo info;          // the streaming thread's, as is what follows
  tandem::BoxLabels* labels;  // made for the first label, since fonts take a moment to load
  gboolean told_no_fonts, told_unknown_letters, told_too_many;
  tandem::BadResults told_bad;
};

G_DEFINE_TYPE_WITH_CODE(GstTandemOverlay, gst_tandem_overlay, GST_TYPE_BASE_TRANSFORM,
                        GST_DEBUG_CATEGORY_INIT(tandem_overlay_debug, "tandemoverlay", 0,
                                                "draws regions of interest"))

namespace {

// Objects, scenes and vectors of a frame that are drawn, each: more cover the picture, and a label
// that was not drawn before takes 0.1 ms.
constexpr gsize kMostDrawn = 1000;

// Bright enough for black text, and apart from each other for most kinds of colour blindness.
constexpr tandem::Color kPalette[] = {{64, 255, 96},   {255, 176, 0},  {96, 192, 255},
                                      {255, 128, 192}, {240, 240, 64}, {64, 240, 224},
                                      {208, 160, 255}, {255, 255, 255}};

tandem::Color color_of(const gchar* label) {
  return kPalette[g_str_hash(label) % std::size(kPalette)];
}

// Sizes that can be read at LD and do not vanish at HD.
int default_line_width(int frame_height) { return std::max(1, (frame_height + 120) / 240); }

bool has_something_to_draw(GstBuffer* buffer) {
  return tandem::has_results(buffer) || tandem::motion_of(buffer);
}

// Null where there are no fonts.
tandem::BoxLabels* labels_for(GstTandemOverlay* self, const tandem::Canvas& canvas) {
  if (self->labels || self->told_no_fonts) return self->labels;
  auto labels = std::make_unique<tandem::BoxLabels>(canvas.width(), canvas.height());
  if (labels->has_fonts()) return self->labels = labels.release();
  self->told_no_fonts = TRUE;
  GST_ELEMENT_WARNING(self, RESOURCE, NOT_FOUND,
                      ("Labels are not drawn: no font is installed (fonts-dejavu-core is one)."),
                      ("Fontconfig finds none."));
  return nullptr;
}

void draw_label(GstTandemOverlay* self, tandem::Canvas& canvas, const tandem::Rect& box,
                const gchar* label, const char* confidence, tandem::Color color) {
  tandem::BoxLabels* labels = labels_for(self, canvas);
  if (!labels || labels->draw(canvas, box, label, confidence, color)) return;
  if (self->told_unknown_letters) return;
  self->told_unknown_letters = TRUE;
  GST_WARNING_OBJECT(self, "no installed font has all letters of '%s'", label);
}

/// The text at a box.
struct Caption {
  std::string label;
  std::optional<gdouble> confidence;
};

void draw_box(GstTandemOverlay* self, tandem::Canvas& canvas, const tandem::Rect& box,
              const Caption& caption, tandem::Color color, const Settings& settings) {
  const int line_width = settings.line_width ? static_cast<int>(settings.line_width)
                                             : default_line_width(canvas.height());
  canvas.outline(box, line_width, color);
  const bool outside = box.x >= canvas.width() || box.y >= canvas.height();
  if (!settings.labels || outside || box.width <= 0 || box.height <= 0) return;

  char number[16] = "";
  if (caption.confidence) g_ascii_formatd(number, sizeof number, "%.2f", *caption.confidence);
  if (!caption.label.empty() || number[0])
    draw_label(self, canvas, box, caption.label.c_str(), number, color);
}

// An object with an id has the colour of the id, and the id behind its label.
void draw_object(GstTandemOverlay* self, tandem::Canvas& canvas, const tandem::FrameObject& object,
                 const Settings& settings) {
  Caption caption{object.label, object.confidence};
  tandem::Color color = settings.color_by_label ? color_of(object.label.c_str()) : kPalette[0];
  if (object.object_id) {
    caption.label += (caption.label.empty() ? "#" : " #") + std::to_string(*object.object_id);
    if (settings.color_by_label) color = kPalette[*object.object_id % std::size(kPalette)];
  }
  draw_box(self, canvas, {object.x, object.y, object.width, object.height}, caption, color,
           settings);
}

void draw_scene(GstTandemOverlay* self, tandem::Canvas& canvas, const tandem::FrameScene& scene,
                const Settings& settings) {
  draw_box(self, canvas, {0, 0, canvas.width(), canvas.height()}, {scene.label, scene.confidence},
           settings.color_by_label ? color_of(scene.label.c_str()) : kPalette[0], settings);
}

// Draws a square at the feature, and a line from its place `frames` frames ago at the same speed.
// The motion of a single frame would be hidden under the square.
void draw_vector(tandem::Canvas& canvas, const GstTandemMotionVector& v, double frames,
                 int line_width) {
  const double x0 = v.x - frames * v.dx, y0 = v.y - frames * v.dy;
  const double values[] = {v.x, v.y, x0, y0};
  // Far outside of any frame: nothing that can be drawn.
  constexpr double kFarthest = 1 << 20;
  if (!std::all_of(std::begin(values), std::end(values),
                   [](double value) { return std::fabs(value) < kFarthest; })) {
    return;
  }
  const tandem::Color color = kPalette[v.id % std::size(kPalette)];
  const auto x = std::lround(v.x), y = std::lround(v.y);
  canvas.line(std::lround(x0), std::lround(y0), x, y, line_width, color);
  const int size = 2 * line_width + 1;
  canvas.fill({x - size / 2, y - size / 2, size, size}, color);
}

void tell_too_many(GstTandemOverlay* self, const char* what, gsize count) {
  if (count <= kMostDrawn || self->told_too_many) return;
  self->told_too_many = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
                      ("A frame has %" G_GSIZE_FORMAT " %s: only %" G_GSIZE_FORMAT " are drawn.",
                       count, what, kMostDrawn),
                      (nullptr));
}

void draw(GstTandemOverlay* self, tandem::Canvas& canvas, const tandem::FrameResults& results,
          const Settings& settings) {
  tell_bad_results(GST_ELEMENT(self), results.bad, self->told_bad);
  tell_too_many(self, "objects", results.objects.size());
  tell_too_many(self, "labels of the scene", results.scenes.size());
  tell_too_many(self, "motion vectors", results.motion.size());
  const auto first = [](const auto& all) {
    return std::span(all).first(std::min(all.size(), kMostDrawn));
  };
  for (const tandem::FrameObject& object : first(results.objects))
    draw_object(self, canvas, object, settings);
  for (const tandem::FrameScene& scene : first(results.scenes))
    draw_scene(self, canvas, scene, settings);
  const int line_width = settings.line_width ? static_cast<int>(settings.line_width)
                                             : default_line_width(canvas.height());
  for (const GstTandemMotionVector& one : first(results.motion))
    draw_vector(canvas, one, settings.vector_scale, line_width);
}

// The part of the frame that is seen, where an element only marks what is cut off.
tandem::Rect seen_part(GstBuffer* buffer, const GstVideoInfo& info) {
  const GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(buffer);
  return {crop ? crop->x : 0, crop ? crop->y : 0, GST_VIDEO_INFO_WIDTH(&info),
          GST_VIDEO_INFO_HEIGHT(&info)};
}

}  // namespace

// Labels are written for a size of frames.
static void forget_labels(GstTandemOverlay* self) {
  delete self->labels;
  self->labels = nullptr;
}

static gboolean gst_tandem_overlay_set_caps(GstBaseTransform* base, GstCaps* in, GstCaps*) {
  GstTandemOverlay* self = GST_TANDEM_OVERLAY(base);
  forget_labels(self);
  return gst_video_info_from_caps(&self->info, in);
}

static gboolean gst_tandem_overlay_start(GstBaseTransform* base) {
  GstTandemOverlay* self = GST_TANDEM_OVERLAY(base);
  self->told_no_fonts = self->told_unknown_letters = self->told_too_many = FALSE;
  self->told_bad = {};
  return TRUE;
}

static gboolean gst_tandem_overlay_stop(GstBaseTransform* base) {
  forget_labels(GST_TANDEM_OVERLAY(base));
  return TRUE;
}

// The frame itself is passed on, unless it must be drawn on and has other references.
static GstFlowReturn gst_tandem_overlay_prepare_output_buffer(GstBaseTransform*, GstBuffer* in,
                                                              GstBuffer** out) {
  *out = gst_buffer_is_writable(in) || !has_something_to_draw(in) ? in : gst_buffer_copy(in);
  return GST_FLOW_OK;
}

static GstFlowReturn gst_tandem_overlay_transform_ip(GstBaseTransform* base, GstBuffer* buffer) {
  if (!has_something_to_draw(buffer)) return GST_FLOW_OK;
  GstTandemOverlay* self = GST_TANDEM_OVERLAY(base);
  Settings settings;
  {
    const tandem::ObjectLock lock(self);
    settings = self->settings;
  }

  GstVideoFrame frame;
  constexpr auto kAccess =
      static_cast<GstMapFlags>(int{GST_MAP_READWRITE} | int{GST_VIDEO_FRAME_MAP_FLAG_NO_REF});
  if (!gst_video_frame_map(&frame, &self->info, buffer, kAccess)) {
    GST_ELEMENT_ERROR(self, STREAM, FAILED, ("The frame cannot be mapped for drawing."),
                      ("buffer of %" G_GSIZE_FORMAT " bytes, the format needs %" G_GSIZE_FORMAT,
                       gst_buffer_get_size(buffer), GST_VIDEO_INFO_SIZE(&self->info)));
    return GST_FLOW_ERROR;
  }
  const tandem::Status status = tandem::guard([&] {
    tandem::Canvas canvas(&frame, seen_part(buffer, self->info));
    const tandem::FrameSize size{canvas.width(), canvas.height()};
    if (size.width == 0 || size.height == 0) return tandem::Status();
    draw(self, canvas, tandem::read_results(buffer, size), settings);
    return tandem::Status();
  });
  gst_video_frame_unmap(&frame);
  if (status.ok()) return GST_FLOW_OK;
  GST_ELEMENT_ERROR(self, STREAM, FAILED, ("The frame cannot be drawn on."),
                    ("%s", status.message().c_str()));
  return GST_FLOW_ERROR;
}

static Settings& settings_of(GObject* object) { return GST_TANDEM_OVERLAY(object)->settings; }

static void gst_tandem_overlay_class_init(GstTandemOverlayClass* klass) {
  tandem::install_properties<kProperties, settings_of>(G_OBJECT_CLASS(klass));
  GstElementClass* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Tandem overlay", "Filter/Editor/Video",
      "Draws regions of interest with label and confidence, and motion vectors",
      "The Tandem authors");

  GstBaseTransformClass* base = GST_BASE_TRANSFORM_CLASS(klass);
  base->start = gst_tandem_overlay_start;
  base->stop = gst_tandem_overlay_stop;
  base->set_caps = gst_tandem_overlay_set_caps;
  base->prepare_output_buffer = gst_tandem_overlay_prepare_output_buffer;
  base->transform_ip = gst_tandem_overlay_transform_ip;
}

static void gst_tandem_overlay_init(GstTandemOverlay* self) {
  self->settings = Settings();
  gst_video_info_init(&self->info);
}
