// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/tandembin.h"

#include <memory>
#include <mutex>
#include <string>

#include "gst/bin/chain.h"
#include "gst/bin/pads.h"
#include "gst/bin/properties.h"
#include "gst/bin/run.h"
#include "gst/bin/runplan.h"
#include "gst/bin/structures.h"

GST_DEBUG_CATEGORY(tandem_bin_debug);  // of all files of the bin
#define GST_CAT_DEFAULT tandem_bin_debug

namespace {

using namespace tandem::bin;
using tandem::AdaptRules;
using tandem::ObjectLock;

struct TandemBin {
  GstBin parent;
  struct Private {
    // Under the object lock.
    Settings settings;
    std::shared_ptr<Run> run;    // between PAUSED and READY
    std::string stages_problem;  // why `stages` could not be made
    // Set while pads are inactive.
    GstPad* sink = nullptr;
    GstPad* src = nullptr;
    // Held from reading properties until the executor is configured, so that property changes keep
    // their order and none is lost while a run starts or stops. Lock order: this, then the object
    // lock. Not held while a message is posted or a context is queried, whose handlers may set
    // properties.
    std::mutex configure_mutex;
    // The results of training, for the lifetime of the element; used by one run at a time.
    const std::shared_ptr<tandem::Knowledge> knowledge = std::make_shared<tandem::Knowledge>();
    // Used by state changes. Released with the element, because releasing may wait for a disk.
    KeptKnowledge kept;
  };
  Private* self;
};
struct TandemBinClass {
  GstBinClass parent_class;
};

GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
                                                             GST_STATIC_CAPS(GST_TANDEM_LUMA_CAPS));
GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                                                            GST_STATIC_CAPS(GST_TANDEM_LUMA_CAPS));

TandemBin* tandem_bin(gpointer object) { return static_cast<TandemBin*>(object); }

std::shared_ptr<Run> current_run(TandemBin* bin) {
  ObjectLock lock(bin);
  return bin->self->run;
}

Settings settings_of(TandemBin* bin) {
  ObjectLock lock(bin);
  return bin->self->settings;
}

}  // namespace

std::shared_ptr<Run> tandem::bin::run_of(GstObject* bin) { return current_run(tandem_bin(bin)); }
GstPad* tandem::bin::sink_of(GstObject* bin) { return tandem_bin(bin)->self->sink; }
GstPad* tandem::bin::src_of(GstObject* bin) { return tandem_bin(bin)->self->src; }

typedef TandemBin GstTandemBin;
typedef TandemBinClass GstTandemBinClass;
G_DEFINE_TYPE_WITH_CODE(GstTandemBin, gst_tandem_bin, GST_TYPE_BIN,
                        GST_DEBUG_CATEGORY_INIT(tandem_bin_debug, "tandembin", 0,
                                                "Tandem's adaptive bin"))

namespace {

// --- Configuration -----------------------------------------------------------------------------

// Applies the settings that need no decision.
void take_over(const Settings& settings, Run& run) {
  run.keep_tensors = settings.keep_tensors;
  run.executor().set_cpu_fallback(settings.cpu_fallback);
  run.overload().set(static_cast<Overload::Policy>(settings.overload), settings.max_lateness_ns);
}

AdaptRules rules_of(TandemBin* bin, Run& run) {
  const AdaptRules rules = adapt_rules(settings_of(bin), run.stages(), run.executor().cores());
  check_mapping(run, rules);
  return rules;
}

// Takes configure_mutex, and finds the device if the properties need one: without the mutex, so the
// properties are read again afterwards. One look leaves a device, a problem, or a run that has
// ended. Throws std::runtime_error.
std::unique_lock<std::mutex> lock_with_device(TandemBin* bin, Run& run) {
  DeviceSearch& device = run.device_search();
  std::unique_lock lock(bin->self->configure_mutex);
  while (!device.searching() && device.wanted(run, rules_of(bin, run))) {
    device.begin_search();
    const std::string selector = settings_of(bin).opencl_device;
    lock.unlock();
    const auto found = DeviceSearch::search(GST_ELEMENT_CAST(bin), selector);
    lock.lock();
    device.end_search(run, found);
  }
  return lock;
}

// Hands the rules that the properties make to the controller, under configure_mutex. With adapt=off
// a device that was chosen goes on. Throws std::runtime_error.
void configure(TandemBin* bin, Run& run) {
  const AdaptRules rules = rules_of(bin, run);
  run.controller().set_device(run.device_side());
  run.controller().set_rules(rules);
  run.may_use_device =
      run.controller().runs_on_device() || can_use_device(rules, run.device_only());
  run.controller().warn_later(run.device_search().warning(run, settings_of(bin), rules));
}

// Keeps the configuration, with the device that has joined.
void stay_as_it_is(TandemBin* bin, Run& run, const char* why) {
  std::unique_lock lock(bin->self->configure_mutex);
  if (current_run(bin).get() != &run) return;
  run.controller().keep_rules_with(run.device_side());
  lock.unlock();
  run.controller().report();
  GST_ELEMENT_WARNING(bin, LIBRARY, SETTINGS, ("The configuration is unchanged: %s.", why),
                      (nullptr));
}

// A property changed while frames flow. An invalid one is refused and the configuration kept.
void reconfigure(TandemBin* bin) {
  // A starting run reads the properties under the lock: later changes find the run here.
  std::unique_lock starts(bin->self->configure_mutex);
  const std::shared_ptr<Run> run = current_run(bin);
  starts.unlock();
  if (!run) return;
  try {
    std::unique_lock lock = lock_with_device(bin, *run);
    if (current_run(bin) != run) return;  // the next one reads the properties
    // The thread that searches for the device configures the run; frames may pass meanwhile.
    if (run->device_search().searching() && !run->device_side().coming) return;
    const bool used_device = run->may_use_device;
    configure(bin, *run);
    const bool other_memory = run->may_use_device != used_device;
    lock.unlock();
    run->controller().report();
    // So that upstream queries the allocator again.
    if (other_memory) gst_pad_push_event(bin->self->sink, gst_event_new_reconfigure());
  } catch (const std::exception& e) {
    stay_as_it_is(bin, *run, tandem::error_text(e).c_str());
  }
}

// On a thread, while frames pass: takes over the device that a run begins without.
void take_over_device(TandemBin* bin, Run& run, OpenedDevice opened) {
  try {
    std::lock_guard lock(bin->self->configure_mutex);
    run.end_opening(std::move(opened));
    configure(bin, run);
  } catch (const std::exception& e) {
    stay_as_it_is(bin, run, tandem::error_text(e).c_str());
  }
  run.controller().report();
  if (run.context()) gst_pad_push_event(bin->self->sink, gst_event_new_reconfigure());
}

template <class Change>
void change_run(TandemBin* bin, Change&& change) {
  std::unique_lock lock(bin->self->configure_mutex);
  const std::shared_ptr<Run> run = current_run(bin);
  if (!run) return;
  change(run->controller());
  lock.unlock();
  run->controller().report();
}

// --- Pads --------------------------------------------------------------------------------------

void use_src(TandemBin* bin, GstPad* pad) {
  bin->self->src = pad;
  equip_src(pad);
}

void use_sink(TandemBin* bin, GstPad* pad) {
  bin->self->sink = pad;
  equip_sink(pad);
}

// A launch line "src ! tandembin.( a ! b ) ! sink" links the neighbours to a and b through ghost
// pads that the parser adds to the bin. Frames come and go through these: they take the place of
// ours.
void gst_tandem_bin_pad_added(GstElement* element, GstPad* pad) {
  TandemBin* bin = tandem_bin(element);
  if (GST_ELEMENT_CLASS(gst_tandem_bin_parent_class)->pad_added)
    GST_ELEMENT_CLASS(gst_tandem_bin_parent_class)->pad_added(element, pad);
  const bool is_sink = GST_PAD_IS_SINK(pad);
  GstPad* own = is_sink ? bin->self->sink : bin->self->src;
  if (pad == own || !GST_IS_GHOST_PAD(pad) || !own) return;
  if (gst_pad_is_linked(own) || current_run(bin)) {
    GST_WARNING_OBJECT(bin, "pad %s is ignored: %s is already in use", GST_PAD_NAME(pad),
                       GST_PAD_NAME(own));
    return;
  }
  (is_sink ? use_sink : use_src)(bin, pad);
  gst_element_remove_pad(element, own);
}

// --- States ------------------------------------------------------------------------------------

bool start_run(TandemBin* bin) {
  try {
    if (GST_BIN_NUMCHILDREN(bin) == 0 && !bin->self->stages_problem.empty())
      throw std::runtime_error(bin->self->stages_problem);
    const std::vector<GstTandemStage*> stages = find_chain(GST_BIN_CAST(bin));
    expose_chain(stages, bin->self->sink, bin->self->src);
    const Settings settings = settings_of(bin);
    bin->self->kept = open_knowledge(settings.knowledge);
    const RunPlan plan =
        plan_run(GST_ELEMENT_CAST(bin), stages, settings, bin->self->knowledge, bin->self->kept);
    const auto run = std::make_shared<Run>(GST_ELEMENT_CAST(bin), plan);
    run->when_device_joins([bin] { reconfigure(bin); });
    // Message handlers may have set properties, with which the run starts.
    std::unique_lock configuring = lock_with_device(bin, *run);
    run->device_search().check_device(*run);
    run->controller().set_objective(settings_of(bin).objective());
    configure(bin, *run);
    {
      ObjectLock lock(bin);
      take_over(bin->self->settings, *run);
      bin->self->run = run;
    }
    configuring.unlock();
    run->controller().report_warnings();
    if (plan.open_device)
      run->open_device_with([bin, run = run.get(), open = plan.open_device] {
        return [bin, run, opened = open()] { take_over_device(bin, *run, opened()); };
      });
    return true;
  } catch (const std::exception& e) {
    GST_ELEMENT_ERROR(bin, LIBRARY, SETTINGS, ("%s", tandem::error_text(e).c_str()), (nullptr));
    return false;
  }
}

// With pads inactive, after shut_down().
void stop_run(TandemBin* bin) {
  gst_pad_stop_task(bin->self->src);
  std::shared_ptr<Run> run;
  {
    std::lock_guard configuring(bin->self->configure_mutex);
    ObjectLock lock(bin);
    run = std::exchange(bin->self->run, nullptr);
  }
  if (run) run->end();
}

// Before the children stop: what a stage still computes needs what the stage has.
void shut_down_run(TandemBin* bin) {
  if (const std::shared_ptr<Run> run = current_run(bin)) run->shut_down();
}

GstStateChangeReturn gst_tandem_bin_change_state(GstElement* element, GstStateChange change) {
  TandemBin* bin = tandem_bin(element);
  if (change == GST_STATE_CHANGE_NULL_TO_READY && !holds_stages_only(GST_BIN_CAST(bin)))
    return GST_STATE_CHANGE_FAILURE;
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED && !start_run(bin))
    return GST_STATE_CHANGE_FAILURE;
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) shut_down_run(bin);
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_tandem_bin_parent_class)->change_state(element, change);
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED) {
    if (result == GST_STATE_CHANGE_FAILURE) {
      shut_down_run(bin);
      stop_run(bin);
    } else {
      start_pushing(GST_OBJECT_CAST(bin));
    }
  }
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) stop_run(bin);
  return result;
}

// --- Properties --------------------------------------------------------------------------------

void fill(TandemBin* bin, const std::string& description) {
  if (description.empty()) return;
  if (GST_BIN_NUMCHILDREN(bin) > 0) {
    GST_ELEMENT_WARNING(
        bin, LIBRARY, SETTINGS,
        ("'stages' applies to an empty tandembin only; this one already has stages."), (nullptr));
    return;
  }
  try {
    fill_from_description(GST_BIN_CAST(bin), description);
  } catch (const std::exception& e) {
    // Reported again when the bin starts, in case the bus has no watch yet.
    bin->self->stages_problem = e.what();
    GST_ELEMENT_ERROR(bin, LIBRARY, SETTINGS, ("%s", tandem::error_text(e).c_str()), (nullptr));
  }
}

void gst_tandem_bin_set_property(GObject* object, guint id, const GValue* value, GParamSpec*) {
  TandemBin* bin = tandem_bin(object);
  SettingChange change;
  {
    ObjectLock lock(bin);
    const Settings before = bin->self->settings;
    change = set_setting(bin->self->settings, id, value);
    // A handler that sets a property at each decision would otherwise trigger decisions forever.
    if (bin->self->settings == before && change != SettingChange::stages) return;
    if (Run* run = bin->self->run.get()) take_over(bin->self->settings, *run);
  }
  if (change == SettingChange::stages) fill(bin, settings_of(bin).stages);
  if (change == SettingChange::rules) reconfigure(bin);
  if (change == SettingChange::objective)
    change_run(bin,
               [bin](auto& controller) { controller.set_objective(settings_of(bin).objective()); });
}

void gst_tandem_bin_get_property(GObject* object, guint id, GValue* value, GParamSpec*) {
  TandemBin* bin = tandem_bin(object);
  const std::shared_ptr<Run> run = current_run(bin);
  switch (id) {
    case kConfiguration:
      if (run) g_value_take_string(value, g_strdup(run->configuration().c_str()));
      break;
    case kStats:
      g_value_take_boxed(value, make_stats(run.get()));
      break;
    case kPredictions:
      if (run) g_value_take_boxed(value, run->controller().predictions());
      break;
    default:
      get_setting(settings_of(bin), id, value);
  }
}

}  // namespace

static void gst_tandem_bin_init(GstTandemBin* bin) {
  bin->self = new GstTandemBin::Private;
  GstElementClass* klass = GST_ELEMENT_GET_CLASS(bin);
  GstPad* sink = gst_ghost_pad_new_no_target_from_template(
      "sink", gst_element_class_get_pad_template(klass, "sink"));
  GstPad* src = gst_ghost_pad_new_no_target_from_template(
      "src", gst_element_class_get_pad_template(klass, "src"));
  use_sink(bin, sink);
  use_src(bin, src);
  gst_element_add_pad(GST_ELEMENT_CAST(bin), sink);
  gst_element_add_pad(GST_ELEMENT_CAST(bin), src);
}

static void gst_tandem_bin_finalize(GObject* object) {
  delete tandem_bin(object)->self;
  G_OBJECT_CLASS(gst_tandem_bin_parent_class)->finalize(object);
}

static void gst_tandem_bin_class_init(GstTandemBinClass* klass) {
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gst_tandem_bin_set_property;
  object_class->get_property = gst_tandem_bin_get_property;
  object_class->finalize = gst_tandem_bin_finalize;
  install_properties(object_class);

  // Trains again from the next frame on, regardless of max-overhead.
  const auto retrain =
      +[](GstTandemBin* bin) { change_run(bin, [](auto& controller) { controller.retrain(); }); };
  g_signal_new_class_handler("retrain", G_TYPE_FROM_CLASS(klass),
                             static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION),
                             reinterpret_cast<GCallback>(retrain), nullptr, nullptr, nullptr,
                             G_TYPE_NONE, 0);

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = gst_tandem_bin_change_state;
  element_class->pad_added = gst_tandem_bin_pad_added;
  gst_element_class_set_static_metadata(
      element_class, "Tandem bin", "Generic/Bin/Filter/Analyzer/Video",
      "Holds a chain of stages and computes each frame's stages on CPU cores or an OpenCL device. "
      "It posts each decision as an element message, tandem-decision; docs/messages.md lists its "
      "fields",
      "The Tandem authors");
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);
}
