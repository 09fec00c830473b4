// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/continuity.h>
#include <gst/tandem/private/flow/previousluma.h>
#include <gst/tandem/private/flow/slottensors.h>
#include <gst/tandem/private/flow/stageadapter.h>
#include <gst/tandem/private/guard.h>
#include <gst/tandem/private/leftout.h>
#include <gst/tandem/private/openclcontext.h>
#include <gst/tandem/private/propertytable.h>
#include <gst/tandem/private/stagedescription.h>

#include <string>
#include <string_view>

#include "scheduler/flow/intervals.h"

GST_DEBUG_CATEGORY_STATIC(tandem_stage_debug);
#define GST_CAT_DEFAULT tandem_stage_debug

enum class Device { automatic, cpu, opencl };

namespace {

struct StageProperties {
  int interval = 1;
  int device = static_cast<int>(Device::automatic);
  std::string opencl_device = "auto";
  std::string tensors = "none";
};

}  // namespace

struct _GstTandemStagePrivate {
  explicit _GstTandemStagePrivate(GstTandemStage* stage) : adapter(stage) {}

  tandem::StageAdapter adapter;
  StageProperties properties;  // under the object lock
  // Used by the streaming thread when the stage is alone.
  GstVideoInfo info{};
  bool chosen = false;
  bool on_device = false;
  std::shared_ptr<tandem::opencl::Context> context;  // null: it computes on the CPU
  std::unique_ptr<tandem::opencl::Queue> queue;
  tandem::StageAdapter* const chain = &adapter;  // the whole of it
  tandem::FrameItem item{{&chain, 1}};
  tandem::PreviousLuma previous;
  tandem::Intervals intervals;
  // Used by any thread that brings events, inside tandembin too.
  tandem::Continuity continuity;
};

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstTandemStage, gst_tandem_stage, GST_TYPE_BASE_TRANSFORM,
                                 GST_DEBUG_CATEGORY_INIT(tandem_stage_debug, "tandemstage", 0,
                                                         "Tandem stage elements"))

static GType gst_tandem_device_get_type() {
  static const GEnumValue values[] = {
      {static_cast<int>(Device::automatic), "The OpenCL device if there is one, else the CPU",
       "auto"},
      {static_cast<int>(Device::cpu), "The CPU", "cpu"},
      {static_cast<int>(Device::opencl), "The OpenCL device; an error if there is none", "opencl"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemDevice", values);
  return type;
}

static constexpr tandem::Property<StageProperties> kProperties[] = {
    {"interval", "Interval",
     "The stage computes each n-th frame: 1: all, 5: each fifth. The other frames pass, also in "
     "stages that need its results",
     &StageProperties::interval, 1, tandem::Intervals::kMost, GST_PARAM_MUTABLE_PLAYING},
    {"device", "Device", "Device that computes the stage if it is not inside tandembin",
     &StageProperties::device, 0, 0, GST_PARAM_MUTABLE_READY, gst_tandem_device_get_type},
    {"opencl-device", "OpenCL device",
     "OpenCL device: auto (never a CPU), any, or a part of its name",
     &StageProperties::opencl_device, 0, 0, GST_PARAM_MUTABLE_READY},
    {"tensors", "Tensors",
     "Tensors that frames carry as GstTensorMeta, for elements of GStreamer 1.26 or newer: none, "
     "all, or names of this stage's outputs separated by commas",
     &StageProperties::tensors, 0, 0, GST_PARAM_MUTABLE_PLAYING | GST_TANDEM_PARAM_KEEPS_WORK}};

static StageProperties& properties_of(GObject* object) {
  return GST_TANDEM_STAGE(object)->priv->properties;
}

int tandem::interval_of(GstTandemStage* stage) {
  const ObjectLock lock(stage);
  return stage->priv->properties.interval;
}

tandem::StageAdapter& tandem::adapter_of(GstTandemStage* stage) { return stage->priv->adapter; }

// Called by GObject after each property that was set.
static void gst_tandem_stage_notify(GObject* object, GParamSpec* spec) {
  GstTandemStagePrivate& self = *GST_TANDEM_STAGE(object)->priv;
  self.adapter.property_set();
  if (std::string_view(spec->name) != "tensors") return;
  tandem::ObjectLock lock(object);
  self.adapter.choose_tensors(self.properties.tensors);
}

// Called by GStreamer after each property that was set of an object whose parent is the stage.
static void gst_tandem_stage_deep_notify(GstObject* object, GstObject* child, GParamSpec*) {
  if (!GST_IS_PAD(child)) GST_TANDEM_STAGE(object)->priv->adapter.property_set();
}

// The first frame of a stage outside of tandembin. Inside, no frame passes here, and the bin
// decides on the device.
static bool choose_device(GstTandemStage* stage) {
  GstTandemStagePrivate& self = *stage->priv;
  StageProperties properties;
  {
    tandem::ObjectLock lock(stage);
    properties = self.properties;
  }
  const auto device = static_cast<Device>(properties.device);
  self.on_device = false;
  self.adapter.work().describe();
  const bool has_cpu = self.adapter.description().has_cpu;
  if (!has_cpu && device == Device::cpu) {
    GST_ELEMENT_ERROR(stage, LIBRARY, SETTINGS,
                      ("%s has no CPU implementation: set device to auto or opencl.",
                       self.adapter.name().c_str()),
                      (nullptr));
    return false;
  }
  if (!self.adapter.description().has_opencl) {
    if (device == Device::opencl) {
      GST_ELEMENT_WARNING(
          stage, LIBRARY, SETTINGS,
          ("%s has no OpenCL implementation: the CPU computes it.", self.adapter.name().c_str()),
          (nullptr));
    }
    return true;
  }
  if (device == Device::cpu) return true;
  try {
    auto context = tandem::find_opencl_context(GST_ELEMENT_CAST(stage), properties.opencl_device);
    self.queue = std::make_unique<tandem::opencl::Queue>(context);
    self.context = context;
    self.adapter.work().set_contexts({context});
    self.on_device = true;
    GST_INFO_OBJECT(stage, "computing on %s", context->device().name.c_str());
  } catch (const tandem::opencl::Error& e) {
    if (device == Device::opencl || !has_cpu) {
      const std::string needs = has_cpu ? "" : self.adapter.name() + " needs an OpenCL device. ";
      GST_ELEMENT_ERROR(stage, RESOURCE, NOT_FOUND,
                        ("%sNo OpenCL device to compute on: %s", needs.c_str(), e.what()),
                        (nullptr));
      return false;
    }
    GST_INFO_OBJECT(stage, "computing on the CPU: %s", e.what());
  }
  return true;
}

// The next frame does not follow the one before.
static void restart(GstTandemStage* stage) {
  stage->priv->previous.forget();
  stage->priv->intervals.restart();
  const GstTandemStageClass* const klass = GST_TANDEM_STAGE_GET_CLASS(stage);
  if (klass->restart) klass->restart(stage);
}

static gboolean gst_tandem_stage_start(GstBaseTransform* base) {
  GstTandemStage* const stage = GST_TANDEM_STAGE(base);
  stage->priv->chosen = false;
  stage->priv->adapter.property_set();  // a bin may have read some and left
  stage->priv->continuity.forget();
  restart(stage);
  return TRUE;
}

static gboolean gst_tandem_stage_stop(GstBaseTransform* base) {
  GstTandemStagePrivate& self = *GST_TANDEM_STAGE(base)->priv;
  self.adapter.work().set_contexts({});
  self.adapter.forget();
  self.previous = {};
  self.queue.reset();
  self.context.reset();
  return TRUE;
}

static gboolean gst_tandem_stage_set_caps(GstBaseTransform* base, GstCaps* caps, GstCaps*) {
  GstTandemStagePrivate& self = *GST_TANDEM_STAGE(base)->priv;
  return gst_video_info_from_caps(&self.info, caps);
}

static tandem::Status compute(GstTandemStagePrivate& self, bool on_device) {
  tandem::FrameItem& item = self.item;
  tandem::Status status = self.adapter.prepare(item);
  if (on_device) {
    // To the host as well: were the device to fail later, the next element could not compute what
    // it needs again.
    if (status.ok()) status = self.adapter.enqueue(item, true);
    const tandem::Status waited = tandem::guard([&]() -> tandem::Status {
      self.queue->finish();
      return {};
    });
    if (status.ok()) status = waited;
  } else {
    if (status.ok()) status = self.adapter.begin(item);
    if (status.ok()) self.adapter.compute(item, 0, self.adapter.rows(item));
  }
  return status.ok() ? self.adapter.finish(item, on_device) : status;
}

static void take_over_properties(GstTandemStagePrivate& self) {
  self.adapter.work().use(self.adapter.read_settings());
  const tandem::Intervals::Rule rule{.interval = self.adapter.work().settings()->interval};
  self.intervals.set({rule}, {});
}

static GstFlowReturn gst_tandem_stage_transform_ip(GstBaseTransform* base, GstBuffer* buffer) {
  GstTandemStage* stage = GST_TANDEM_STAGE(base);
  GstTandemStagePrivate& self = *stage->priv;
  if (!self.chosen) {
    if (!choose_device(stage)) return GST_FLOW_ERROR;
    self.chosen = true;
  }
  if (self.adapter.properties_set()) take_over_properties(self);
  const char* const repeats_from = self.adapter.description().repeats_from;
  if (const int rounds = self.adapter.work().settings()->rounds; repeats_from && rounds > 1) {
    const std::string name = self.adapter.name();
    GST_ELEMENT_ERROR(
        stage, STREAM, FAILED,
        ("%s is set to send frames %d times through the stages from %s on, which needs tandembin "
         "around them. Without tandembin, put the stages from %s to %s into the pipeline %d times.",
         name.c_str(), rounds, repeats_from, repeats_from, name.c_str(), rounds),
        (nullptr));
    return GST_FLOW_ERROR;
  }
  const bool lacks_input =
      tandem::is_marked_left_out(buffer) && tandem::lacks_input(self.adapter.description(), buffer);
  if (self.intervals.next(lacks_input ? 1 : 0) != 0) {
    tandem::mark_left_out(buffer);
    return GST_FLOW_OK;
  }
  self.item.keep(true);
  if (!self.item.open(buffer, self.info, self.adapter.description().changes_pixels)) {
    self.item.close();
    GST_ELEMENT_ERROR(
        stage, RESOURCE, READ,
        ("A frame cannot be mapped into memory: it is smaller than its caps require."), (nullptr));
    return GST_FLOW_ERROR;
  }
  if (self.adapter.description().needs_previous) self.previous.pass(self.item, self.context);
  tandem::Status status = compute(self, self.on_device);
  const bool device_failed = status.kind() == tandem::Status::Kind::device_failed;
  if (self.on_device && device_failed && self.adapter.has_cpu()) {
    GST_ELEMENT_WARNING(
        stage, RESOURCE, FAILED,
        ("The OpenCL device failed, and the CPU continues: %s", status.message().c_str()),
        (nullptr));
    self.on_device = false;
    status = compute(self, false);
  }
  self.item.status = status;
  self.item.close();
  if (status.ok()) return GST_FLOW_OK;
  const std::string why =
      device_failed && !self.adapter.has_cpu()
          ? "The OpenCL device failed, and " + self.adapter.name() + " has no CPU implementation: "
          : "";
  GST_ELEMENT_ERROR(stage, STREAM, FAILED, ("%s%s", why.c_str(), status.message().c_str()),
                    (nullptr));
  return GST_FLOW_ERROR;
}

static gboolean gst_tandem_stage_sink_event(GstBaseTransform* base, GstEvent* event) {
  // tandembin sends those that break a stream while no frame is under way.
  GstTandemStage* const stage = GST_TANDEM_STAGE(base);
  if (stage->priv->continuity.broken_by(event)) restart(stage);
  return GST_BASE_TRANSFORM_CLASS(gst_tandem_stage_parent_class)->sink_event(base, event);
}

static gboolean gst_tandem_stage_query(GstBaseTransform* base, GstPadDirection direction,
                                       GstQuery* query) {
  if (tandem::answer_opencl_context_query(GST_ELEMENT_CAST(base), query)) return TRUE;
  return GST_BASE_TRANSFORM_CLASS(gst_tandem_stage_parent_class)->query(base, direction, query);
}

static void gst_tandem_stage_init(GstTandemStage* stage) {
  stage->priv = new GstTandemStagePrivate(stage);
  stage->priv->item.queues = &stage->priv->queue;
  gst_base_transform_set_in_place(GST_BASE_TRANSFORM_CAST(stage), TRUE);
}

static void gst_tandem_stage_finalize(GObject* object) {
  delete GST_TANDEM_STAGE(object)->priv;
  G_OBJECT_CLASS(gst_tandem_stage_parent_class)->finalize(object);
}

static void gst_tandem_stage_class_init(GstTandemStageClass* klass) {
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  tandem::install_properties<kProperties, properties_of>(object_class);
  object_class->finalize = gst_tandem_stage_finalize;
  object_class->notify = gst_tandem_stage_notify;
  GST_OBJECT_CLASS(klass)->deep_notify = gst_tandem_stage_deep_notify;

  static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
                                                             GST_STATIC_CAPS(GST_TANDEM_LUMA_CAPS));
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                                                            GST_STATIC_CAPS(GST_TANDEM_LUMA_CAPS));
  gst_element_class_add_static_pad_template(GST_ELEMENT_CLASS(klass), &sink);
  gst_element_class_add_static_pad_template(GST_ELEMENT_CLASS(klass), &src);

  GstBaseTransformClass* base_class = GST_BASE_TRANSFORM_CLASS(klass);
  base_class->start = gst_tandem_stage_start;
  base_class->stop = gst_tandem_stage_stop;
  base_class->set_caps = gst_tandem_stage_set_caps;
  base_class->transform_ip = gst_tandem_stage_transform_ip;
  base_class->sink_event = gst_tandem_stage_sink_event;
  base_class->query = gst_tandem_stage_query;
}
