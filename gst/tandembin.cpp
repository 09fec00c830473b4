// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/tandembin.h"

#include <memory>
#include <mutex>
#include <string>

#include "gst/binchain.h"
#include "gst/binrun.h"
#include "gst/opencl/openclcontext.h"
#include "scheduler/cores.h"

GST_DEBUG_CATEGORY_STATIC(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace {

using tandem::BinRun;
using tandem::Configuration;
using tandem::FrameItem;
using tandem::Granularity;
using tandem::ObjectLock;

enum GranularityChoice { kGranularityAuto, kGranularityCoarse, kGranularityMedium };

struct Settings {
  std::string mapping = "auto";
  int granularity = kGranularityAuto;
  int threads = 0;
  int cores = 0;
  std::string opencl_device = "auto";
  std::string stages;
  bool keep_tensors = false;
};

struct TandemBin {
  GstBin parent;
  struct Private {
    // Under the object lock.
    Settings settings;
    std::shared_ptr<BinRun> run;  // between PAUSED and READY
    std::shared_ptr<tandem::opencl::Context> given_context;
    // Set while pads are inactive.
    GstPad* sink = nullptr;
    GstPad* src = nullptr;
    // Held while a configuration is worked out and handed to the executor, so that two property
    // changes cannot overtake each other. The object lock is taken under it.
    std::mutex configure_mutex;
    bool device_refused = false;  // under configure_mutex: said so once
  };
  Private* self;
};
struct TandemBinClass {
  GstBinClass parent_class;
};

enum {
  PROP_0,
  PROP_MAPPING,
  PROP_GRANULARITY,
  PROP_THREADS,
  PROP_CORES,
  PROP_OPENCL_DEVICE,
  PROP_STAGES,
  PROP_KEEP_TENSORS,
  PROP_CONFIGURATION,
  PROP_STATS,
};

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw"));
GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw"));

TandemBin* tandem_bin(gpointer object) { return static_cast<TandemBin*>(object); }

std::shared_ptr<BinRun> current_run(TandemBin* bin) {
  ObjectLock lock(bin);
  return bin->self->run;
}

Settings settings_of(TandemBin* bin) {
  ObjectLock lock(bin);
  return bin->self->settings;
}

GType granularity_get_type() {
  static const GEnumValue values[] = {
      {kGranularityAuto, "Chosen by the bin", "auto"},
      {kGranularityCoarse, "Coarse: one frame a core, several frames at a time", "cg"},
      {kGranularityMedium, "Medium: one frame over all cores", "mg"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstTandemGranularity", values);
  return type;
}

}  // namespace

#define gst_tandem_bin_parent_class parent_class
typedef TandemBin GstTandemBin;
typedef TandemBinClass GstTandemBinClass;
G_DEFINE_TYPE_WITH_CODE(GstTandemBin, gst_tandem_bin, GST_TYPE_BIN,
                        GST_DEBUG_CATEGORY_INIT(tandem_bin_debug, "tandembin", 0,
                                                "Tandem's adaptive bin"))

namespace {

// --- Configuration -----------------------------------------------------------------------------

// What the properties ask for. Throws std::runtime_error that says which property is wrong.
Configuration requested_configuration(const Settings& settings, BinRun& run) {
  const int cores = run.executor().cores();
  Configuration wanted{{0, run.stages()}, Granularity::coarse, cores};
  if (settings.mapping != "auto") {
    const std::string problem =
        tandem::parse_mapping(settings.mapping, run.stages(), wanted.mapping);
    if (!problem.empty()) throw std::runtime_error(problem);
  }
  if (settings.granularity == kGranularityMedium) wanted.granularity = Granularity::medium;
  if (settings.threads > cores + 1) {
    throw std::runtime_error("threads=" + std::to_string(settings.threads) +
                             " is out of range: 1 to " + std::to_string(cores + 1) +
                             " (cores + 1), or 0 for auto");
  }
  // The thread that waits for the device needs no core.
  wanted.threads =
      settings.threads > 0 ? settings.threads : cores + (wanted.mapping.any_device() ? 1 : 0);
  return wanted;
}

// Makes the device usable when the configuration needs it. Says once when there is none.
void provide_device(TandemBin* bin, BinRun& run, const Settings& settings) {
  if (run.context() || bin->self->device_refused) return;
  try {
    std::shared_ptr<tandem::opencl::Context> context;
    {
      ObjectLock lock(bin);
      context = bin->self->given_context;
    }
    if (!context)
      context = tandem::find_opencl_context(GST_ELEMENT_CAST(bin), settings.opencl_device);
    run.use_device(context);
    GST_INFO_OBJECT(bin, "the OpenCL device is %s", context->device().name.c_str());
  } catch (const tandem::opencl::Error& e) {
    bin->self->device_refused = true;
    GST_ELEMENT_WARNING(
        bin, RESOURCE, NOT_FOUND,
        ("There is no OpenCL device to use, the CPU computes everything: %s", e.what()), (nullptr));
  }
}

// Hands the configuration that the properties ask for to the executor. Throws std::runtime_error.
void configure(TandemBin* bin, BinRun& run) {
  std::lock_guard lock(bin->self->configure_mutex);
  const Settings settings = settings_of(bin);
  const Configuration wanted = requested_configuration(settings, run);
  if (wanted.mapping.any_device()) provide_device(bin, run, settings);
  run.executor().configure(wanted);
  GST_DEBUG_OBJECT(bin, "asked for %s", tandem::to_string(wanted).c_str());
}

// A property changed while frames flow: what cannot be is refused, and what ran goes on.
void reconfigure(TandemBin* bin) {
  const std::shared_ptr<BinRun> run = current_run(bin);
  if (!run) return;
  try {
    configure(bin, *run);
  } catch (const std::exception& e) {
    GST_ELEMENT_WARNING(bin, LIBRARY, SETTINGS, ("The configuration stays as it is: %s.", e.what()),
                        (nullptr));
  }
}

void device_failed(TandemBin* bin, const std::string& why) {
  GST_ELEMENT_WARNING(bin, RESOURCE, FAILED,
                      ("The OpenCL device failed, the CPU goes on: %s", why.c_str()), (nullptr));
}

// --- Frames ------------------------------------------------------------------------------------

GstFlowReturn chain(GstPad*, GstObject* parent, GstBuffer* buffer) {
  TandemBin* bin = tandem_bin(parent);
  const std::shared_ptr<BinRun> run = current_run(bin);
  if (!run || run->flow != GST_FLOW_OK) {
    gst_buffer_unref(buffer);
    return run ? run->flow.load() : GST_FLOW_FLUSHING;
  }
  if (!run->negotiated) {
    gst_buffer_unref(buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  FrameItem* item = run->acquire();
  if (!item->open(gst_buffer_make_writable(buffer), run->info, run->changes_pixels())) {
    gst_buffer_unref(item->close(run->stages(), false));
    run->recycle(item);
    GST_ELEMENT_ERROR(bin, RESOURCE, READ,
                      ("A frame cannot be mapped into memory: it is smaller than its caps say."),
                      (nullptr));
    return GST_FLOW_ERROR;
  }
  if (run->executor().submit(item)) return run->flow;
  gst_buffer_unref(item->close(run->stages(), false));
  run->recycle(item);
  return run->flow == GST_FLOW_OK ? GST_FLOW_FLUSHING : run->flow.load();
}

GstFlowReturn chain_list(GstPad* pad, GstObject* parent, GstBufferList* list) {
  GstFlowReturn flow = GST_FLOW_OK;
  const guint length = gst_buffer_list_length(list);
  for (guint i = 0; i < length && flow == GST_FLOW_OK; ++i)
    flow = chain(pad, parent, gst_buffer_ref(gst_buffer_list_get(list, i)));
  gst_buffer_list_unref(list);
  return flow;
}

// Sends one finished frame on, or drops it when nobody wants frames any more.
void deliver(TandemBin* bin, BinRun& run, FrameItem* item, bool keep_tensors) {
  const tandem::Status status = item->status;
  GstBuffer* buffer = item->close(run.stages(), keep_tensors);
  run.recycle(item);
  GstFlowReturn flow = run.flow;
  if (flow == GST_FLOW_OK && !status.ok()) {
    flow = GST_FLOW_ERROR;
    GST_ELEMENT_ERROR(bin, STREAM, FAILED, ("%s", status.message().c_str()), (nullptr));
  }
  if (flow == GST_FLOW_OK) {
    flow = gst_pad_push(bin->self->src, buffer);
  } else {
    gst_buffer_unref(buffer);
  }
  GstFlowReturn expected = GST_FLOW_OK;  // a flush that came meanwhile stays
  if (flow != GST_FLOW_OK) run.flow.compare_exchange_strong(expected, flow);
}

// The task of the source pad.
void push_frames(gpointer user_data) {
  TandemBin* bin = tandem_bin(user_data);
  const std::shared_ptr<BinRun> run = current_run(bin);
  FrameItem* item = run ? static_cast<FrameItem*>(run->executor().take()) : nullptr;
  if (!item) {
    gst_pad_pause_task(bin->self->src);
    return;
  }
  bool keep_tensors;
  {
    ObjectLock lock(bin);
    keep_tensors = bin->self->settings.keep_tensors;
  }
  deliver(bin, *run, item, keep_tensors);
  run->executor().release();
}

void start_pushing(TandemBin* bin) {
  gst_pad_start_task(bin->self->src, push_frames, bin, nullptr);
}

// After an abort and with the task at rest: nothing stays inside.
void drop_frames(TandemBin* bin, BinRun& run) {
  while (auto* item = static_cast<FrameItem*>(run.executor().take())) {
    deliver(bin, run, item, false);
    run.executor().release();
  }
}

void abort_run(BinRun& run) {
  run.flow = GST_FLOW_FLUSHING;
  run.executor().abort();
}

// --- Control -----------------------------------------------------------------------------------

void remember_caps(BinRun& run, GstEvent* event) {
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  run.negotiated = gst_video_info_from_caps(&run.info, caps);
}

gboolean sink_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  TandemBin* bin = tandem_bin(parent);
  const std::shared_ptr<BinRun> run = current_run(bin);
  if (!run) return gst_pad_event_default(pad, parent, event);
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_START: {
      abort_run(*run);
      const gboolean handled = gst_pad_event_default(pad, parent, event);
      gst_pad_pause_task(bin->self->src);
      return handled;
    }
    case GST_EVENT_FLUSH_STOP: {
      drop_frames(bin, *run);
      run->executor().resume();
      run->flow = GST_FLOW_OK;
      const gboolean handled = gst_pad_event_default(pad, parent, event);
      start_pushing(bin);
      return handled;
    }
    default:
      break;
  }
  if (!GST_EVENT_IS_SERIALIZED(event)) return gst_pad_event_default(pad, parent, event);
  run->executor().drain();
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return gst_pad_event_default(pad, parent, event);
  remember_caps(*run, event);
  return gst_pad_event_default(pad, parent, event);
}

gboolean sink_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_DRAIN) {
    if (const std::shared_ptr<BinRun> run = current_run(tandem_bin(parent)))
      run->executor().drain();
  }
  return gst_pad_query_default(pad, parent, query);
}

void use_sink(TandemBin* bin, GstPad* pad) {
  bin->self->sink = pad;
  gst_pad_set_chain_function(pad, chain);
  gst_pad_set_chain_list_function(pad, chain_list);
  gst_pad_set_event_function(pad, sink_event);
  gst_pad_set_query_function(pad, sink_query);
}

// A launch line "src ! tandembin.( a ! b ) ! sink" links the neighbours to a and b through ghost
// pads that the parser adds to the bin. Frames come and go through these: they take the place of
// ours.
void gst_tandem_bin_pad_added(GstElement* element, GstPad* pad) {
  TandemBin* bin = tandem_bin(element);
  if (GST_ELEMENT_CLASS(parent_class)->pad_added)
    GST_ELEMENT_CLASS(parent_class)->pad_added(element, pad);
  const bool is_sink = GST_PAD_IS_SINK(pad);
  GstPad* own = is_sink ? bin->self->sink : bin->self->src;
  if (pad == own || !GST_IS_GHOST_PAD(pad) || !own) return;
  if (gst_pad_is_linked(own)) {
    GST_WARNING_OBJECT(bin, "pad %s stays unused: %s is linked already", GST_PAD_NAME(pad),
                       GST_PAD_NAME(own));
    return;
  }
  if (is_sink) {
    use_sink(bin, pad);
  } else {
    bin->self->src = pad;
  }
  gst_element_remove_pad(element, own);
}

void target_ghost(GstPad* ghost, GstTandemStage* stage, const char* pad_name) {
  tandem::ObjectRef<GstPad> target(gst_element_get_static_pad(GST_ELEMENT_CAST(stage), pad_name));
  tandem::ObjectRef<GstPad> present(gst_ghost_pad_get_target(GST_GHOST_PAD_CAST(ghost)));
  if (present.get() == target.get()) return;
  if (!gst_ghost_pad_set_target(GST_GHOST_PAD_CAST(ghost), target.get()))
    throw std::runtime_error(std::string("tandembin cannot use the pad ") + pad_name + " of '" +
                             GST_OBJECT_NAME(stage) + "'.");
}

// --- States ------------------------------------------------------------------------------------

bool start_run(TandemBin* bin) {
  try {
    const std::vector<GstTandemStage*> stages = tandem::find_chain(GST_BIN_CAST(bin));
    target_ghost(bin->self->sink, stages.front(), "sink");
    target_ghost(bin->self->src, stages.back(), "src");
    int cores = settings_of(bin).cores;
    if (cores == 0) cores = tandem::usable_physical_cores();
    auto run = std::make_shared<BinRun>(stages, cores,
                                        [bin](const std::string& why) { device_failed(bin, why); });
    bin->self->device_refused = false;
    configure(bin, *run);
    ObjectLock lock(bin);
    bin->self->run = std::move(run);
    return true;
  } catch (const std::exception& e) {
    GST_ELEMENT_ERROR(bin, LIBRARY, SETTINGS, ("%s", e.what()), (nullptr));
    return false;
  }
}

void stop_run(TandemBin* bin) {
  gst_pad_stop_task(bin->self->src);
  std::shared_ptr<BinRun> run;
  {
    ObjectLock lock(bin);
    run = std::move(bin->self->run);
    bin->self->run.reset();
  }
  if (run) drop_frames(bin, *run);
}

GstStateChangeReturn gst_tandem_bin_change_state(GstElement* element, GstStateChange change) {
  TandemBin* bin = tandem_bin(element);
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED && !start_run(bin))
    return GST_STATE_CHANGE_FAILURE;
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) {
    if (const std::shared_ptr<BinRun> run = current_run(bin)) abort_run(*run);
  }
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(parent_class)->change_state(element, change);
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED) {
    if (result == GST_STATE_CHANGE_FAILURE) {
      if (const std::shared_ptr<BinRun> run = current_run(bin)) abort_run(*run);
      stop_run(bin);
    } else {
      start_pushing(bin);
    }
  }
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) stop_run(bin);
  return result;
}

void gst_tandem_bin_set_context(GstElement* element, GstContext* context) {
  if (auto given = tandem::opencl_context_from(context)) {
    ObjectLock lock(element);
    tandem_bin(element)->self->given_context = std::move(given);
  }
  GST_ELEMENT_CLASS(parent_class)->set_context(element, context);
}

// --- Properties --------------------------------------------------------------------------------

void set_stages(TandemBin* bin, const std::string& description) {
  {
    ObjectLock lock(bin);
    bin->self->settings.stages = description;
  }
  if (description.empty()) return;
  if (GST_BIN_NUMCHILDREN(bin) > 0) {
    GST_ELEMENT_WARNING(bin, LIBRARY, SETTINGS,
                        ("'stages' fills an empty tandembin; this one has stages already."),
                        (nullptr));
    return;
  }
  try {
    tandem::fill_from_description(GST_BIN_CAST(bin), description);
  } catch (const std::exception& e) {
    // Said again when the bin starts, in case nobody watches the bus yet: it is empty then.
    GST_ELEMENT_ERROR(bin, LIBRARY, SETTINGS, ("%s", e.what()), (nullptr));
  }
}

void gst_tandem_bin_set_property(GObject* object, guint id, const GValue* value,
                                 GParamSpec* pspec) {
  TandemBin* bin = tandem_bin(object);
  const auto text = [&] {
    const gchar* given = g_value_get_string(value);
    return std::string(given ? given : "");
  };
  if (id == PROP_STAGES) {
    set_stages(bin, text());
    return;
  }
  {
    ObjectLock lock(bin);
    Settings& settings = bin->self->settings;
    switch (id) {
      case PROP_MAPPING:
        settings.mapping = text().empty() ? "auto" : text();
        break;
      case PROP_GRANULARITY:
        settings.granularity = g_value_get_enum(value);
        break;
      case PROP_THREADS:
        settings.threads = g_value_get_int(value);
        break;
      case PROP_CORES:
        settings.cores = g_value_get_int(value);
        return;
      case PROP_OPENCL_DEVICE:
        settings.opencl_device = text().empty() ? "auto" : text();
        return;
      case PROP_KEEP_TENSORS:
        settings.keep_tensors = g_value_get_boolean(value);
        return;
      default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
        return;
    }
  }
  reconfigure(bin);
}

std::string configuration_text(TandemBin* bin) {
  const std::shared_ptr<BinRun> run = current_run(bin);
  return run ? tandem::to_string(run->executor().configuration()) : "";
}

GstStructure* make_stats(TandemBin* bin) {
  const std::shared_ptr<BinRun> run = current_run(bin);
  GstStructure* stats = gst_structure_new_empty("tandem-stats");
  if (!run) return stats;
  const tandem::ExecutorStats counted = run->executor().stats();
  gst_structure_set(stats, "configuration", G_TYPE_STRING, configuration_text(bin).c_str(), "cores",
                    G_TYPE_INT, run->executor().cores(), "frames", G_TYPE_UINT64, counted.frames,
                    "frames-cpu", G_TYPE_UINT64, counted.frames_cpu, "frames-device", G_TYPE_UINT64,
                    counted.frames_device, "frames-mixed", G_TYPE_UINT64, counted.frames_mixed,
                    "device-failures", G_TYPE_UINT64, counted.device_failures, "in-flight",
                    G_TYPE_UINT, static_cast<guint>(counted.in_flight), nullptr);
  if (const auto context = run->context()) {
    gst_structure_set(stats, "opencl-device", G_TYPE_STRING, context->device().name.c_str(),
                      nullptr);
  }
  GValue list = G_VALUE_INIT;
  gst_value_array_init(&list, run->stages());
  for (int k = 0; k < run->stages(); ++k) {
    const auto& stage = counted.stages[k];
    GValue entry = G_VALUE_INIT;
    g_value_init(&entry, GST_TYPE_STRUCTURE);
    g_value_take_boxed(
        &entry,
        gst_structure_new("stage", "name", G_TYPE_STRING, run->adapter(k).name().c_str(),
                          "cpu-frames", G_TYPE_UINT64, stage.cpu_frames, "device-frames",
                          G_TYPE_UINT64, stage.device_frames, "cpu-ns", G_TYPE_UINT64, stage.cpu_ns,
                          "device-ns", G_TYPE_UINT64, stage.device_ns, nullptr));
    gst_value_array_append_and_take_value(&list, &entry);
  }
  gst_structure_take_value(stats, "stages", &list);
  return stats;
}

void gst_tandem_bin_get_property(GObject* object, guint id, GValue* value, GParamSpec* pspec) {
  TandemBin* bin = tandem_bin(object);
  const Settings settings = settings_of(bin);
  switch (id) {
    case PROP_MAPPING:
      g_value_set_string(value, settings.mapping.c_str());
      break;
    case PROP_GRANULARITY:
      g_value_set_enum(value, settings.granularity);
      break;
    case PROP_THREADS:
      g_value_set_int(value, settings.threads);
      break;
    case PROP_CORES:
      g_value_set_int(value, settings.cores);
      break;
    case PROP_OPENCL_DEVICE:
      g_value_set_string(value, settings.opencl_device.c_str());
      break;
    case PROP_STAGES:
      g_value_set_string(value, settings.stages.c_str());
      break;
    case PROP_KEEP_TENSORS:
      g_value_set_boolean(value, settings.keep_tensors);
      break;
    case PROP_CONFIGURATION:
      g_value_set_string(value, configuration_text(bin).c_str());
      break;
    case PROP_STATS:
      g_value_take_boxed(value, make_stats(bin));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

void install_properties(GObjectClass* klass) {
  const auto flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  const auto playing = static_cast<GParamFlags>(flags | GST_PARAM_MUTABLE_PLAYING);
  const auto ready = static_cast<GParamFlags>(flags | GST_PARAM_MUTABLE_READY);
  const auto read_only = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property(
      klass, PROP_MAPPING,
      g_param_spec_string("mapping", "Mapping",
                          "Where each stage may run, one letter a stage: g (OpenCL device) or c "
                          "(CPU), as in gcc; or auto",
                          "auto", playing));
  g_object_class_install_property(
      klass, PROP_GRANULARITY,
      g_param_spec_enum("granularity", "Granularity", "How the CPU's cores share the work",
                        granularity_get_type(), kGranularityAuto, playing));
  g_object_class_install_property(
      klass, PROP_THREADS,
      g_param_spec_int("threads", "Threads",
                       "Frames that coarse grain computes at a time, 1 to cores + 1; 0: auto", 0,
                       1024, 0, playing));
  g_object_class_install_property(
      klass, PROP_CORES,
      g_param_spec_int("cores", "Cores",
                       "CPU cores to use; 0: the physical cores that this process may use", 0, 1023,
                       0, ready));
  g_object_class_install_property(
      klass, PROP_OPENCL_DEVICE,
      g_param_spec_string("opencl-device", "OpenCL device",
                          "Which OpenCL device: auto (never a CPU), any, or a part of its name",
                          "auto", ready));
  g_object_class_install_property(
      klass, PROP_STAGES,
      g_param_spec_string("stages", "Stages",
                          "Fills the empty bin, as in \"vividfilter ! vividhistogram ! "
                          "vividclassifier\"",
                          "", ready));
  g_object_class_install_property(
      klass, PROP_KEEP_TENSORS,
      g_param_spec_boolean(
          "keep-tensors", "Keep tensors",
          "Leave what the stages computed on the frames that leave the bin, as "
          "GstTandemTensorMeta; takes memory for every frame that waits downstream",
          FALSE, playing));
  g_object_class_install_property(
      klass, PROP_CONFIGURATION,
      g_param_spec_string("configuration", "Configuration",
                          "What runs now: mapping/granularity and threads, as in gcc/cg3", "",
                          read_only));
  g_object_class_install_property(
      klass, PROP_STATS,
      g_param_spec_boxed("stats", "Statistics",
                         "configuration, cores, frames, frames-cpu, frames-device, frames-mixed, "
                         "device-failures, in-flight, opencl-device, and for each of stages: name, "
                         "cpu-frames, device-frames, cpu-ns, device-ns",
                         GST_TYPE_STRUCTURE, read_only));
}

}  // namespace

static void gst_tandem_bin_init(GstTandemBin* bin) {
  bin->self = new GstTandemBin::Private;
  GstPad* sink = gst_ghost_pad_new_no_target_from_template(
      "sink", gst_static_pad_template_get(&sink_template));
  GstPad* src =
      gst_ghost_pad_new_no_target_from_template("src", gst_static_pad_template_get(&src_template));
  use_sink(bin, sink);
  bin->self->src = src;
  gst_element_add_pad(GST_ELEMENT_CAST(bin), sink);
  gst_element_add_pad(GST_ELEMENT_CAST(bin), src);
}

static void gst_tandem_bin_finalize(GObject* object) {
  delete tandem_bin(object)->self;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

static void gst_tandem_bin_class_init(GstTandemBinClass* klass) {
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gst_tandem_bin_set_property;
  object_class->get_property = gst_tandem_bin_get_property;
  object_class->finalize = gst_tandem_bin_finalize;
  install_properties(object_class);

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = gst_tandem_bin_change_state;
  element_class->set_context = gst_tandem_bin_set_context;
  element_class->pad_added = gst_tandem_bin_pad_added;
  gst_element_class_set_static_metadata(
      element_class, "Tandem bin", "Generic/Bin/Filter/Analyzer/Video",
      "Holds a chain of stages and computes each frame's stages on CPU cores or an OpenCL device",
      "The Tandem authors");
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);
}
