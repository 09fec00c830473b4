// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gst/tandem/private/ref.h>
#include <gst/tandem/private/stagefile.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "files/hash.h"
#include "files/regular_file.h"
#include "gst/elements/elements.h"
#include "gst/elements/kernelstage/stagefilework.h"
#include "gst/elements/kernelstage/stageparams.h"
#include "gst/elements/kernelstage/stageprogram.h"
#include "gst/elements/kernelstage/tensormaker.h"

namespace tandem {
namespace {

GType element_type();

enum { kNoProperty, kLocation };

constexpr char kParams[] = "params";  // the child
constexpr char kCode[] = "code";      // the setting with a checksum of the file

/// The stage file, as it was when `location` was set.
struct Source {
  std::string location;
  std::string text;
  std::shared_ptr<const StageFile> file;
  ObjectRef<GstObject> params;  ///< of the file
  std::string problem;          ///< why there is no file
  StageDescription description;
};

/// The state of the element. The frame path works with the work that make_work() made of it.
struct Self {
  std::shared_ptr<const Source> source = std::make_shared<Source>();  // under the object lock

  StageCompiler compiler;
  // Belongs to the one frame in flight: a stage that keeps something is serial.
  const std::shared_ptr<KeptTensors> kept = std::make_shared<KeptTensors>();
};

struct Instance {
  GstTandemStage parent;
  Self* self;
};

gpointer parent_class = nullptr;

Self& self_of(gpointer object) { return *static_cast<Instance*>(object)->self; }

StageDescription describe(const StageFile& file) {
  StageDescription description;
  const StagePlan plan = plan_stage(file);
  for (const StageTensor& tensor : plan.tensors) {
    if (tensor.role == StageTensor::Role::kInput)
      description.inputs.push_back({tensor.tensor.c_str(), maker_of(tensor.tensor)});
  }
  description.serial = file.keeps();
  // Without a compiler only the device computes the stage, if the file permits it.
  description.has_cpu = has_cores(file);
  description.has_opencl = file.only != StageSide::kCpu;
  description.changes_pixels = file.writes_luma();
  description.whole = why_whole(file, plan);
  return description;
}

std::shared_ptr<const Source> read_source(const std::string& location) {
  auto source = std::make_shared<Source>();
  source->location = location;
  RegularFile read = read_regular_file(location, kMostStageFileBytes);
  if (!read.problem.empty()) {
    source->problem = "'" + location + "' " + read.problem;
    return source;
  }
  try {
    source->file = std::make_shared<const StageFile>(parse_stage_file(read.bytes, location));
    source->description = describe(*source->file);
    for (const StageParameter& p : source->file->parameters) {
      auto* const klass = static_cast<GObjectClass*>(g_type_class_peek(element_type()));
      if (p.name == kCode || g_object_class_find_property(klass, p.name.c_str()))
        throw StageFileError(location + ":" + std::to_string(p.line) + ":1: the parameter name '" +
                             p.name + "' is reserved");
    }
    source->params = make_stage_params(source->file->parameters);
  } catch (const std::runtime_error& error) {
    source->file.reset();
    source->problem = error.what();
  }
  source->text = std::move(read.bytes);
  return source;
}

// No lock is held where signals are emitted.
void set_source(GObject* object, const std::shared_ptr<const Source>& source) {
  GstObject* const params = source->params.get();
  if (params) gst_object_set_parent(params, GST_OBJECT_CAST(object));
  std::shared_ptr<const Source> before;
  {
    ObjectLock lock(object);
    before = std::exchange(self_of(object).source, source);
  }
  if (GstObject* const old = before->params.get()) {
    gst_child_proxy_child_removed(GST_CHILD_PROXY(object), G_OBJECT(old), kParams);
    gst_object_unparent(old);
  }
  if (params) gst_child_proxy_child_added(GST_CHILD_PROXY(object), G_OBJECT(params), kParams);
}

void set_property(GObject* object, guint, const GValue* value, GParamSpec*) {
  if (GST_STATE(object) > GST_STATE_READY) {
    g_warning("%s: location is unchanged, because it can be set in the states NULL and READY only",
              GST_OBJECT_NAME(object));
    return;
  }
  const gchar* const text = g_value_get_string(value);
  set_source(object, read_source(text ? text : ""));
}

void get_property(GObject* object, guint, GValue* value, GParamSpec*) {
  ObjectLock lock(object);
  g_value_set_string(value, self_of(object).source->location.c_str());
}

// Why a stage cannot start; empty: it can.
std::string problem_of(const Source& source) {
  return source.location.empty() ? "kernelstage needs a stage file: set its property location."
                                 : source.problem;
}

std::shared_ptr<const Source> source_of(GstTandemStage* stage) {
  ObjectLock lock(stage);
  return self_of(stage).source;
}

void describe_stage(GstTandemStage* stage, const GstStructure*, GstTandemDescription* description) {
  stage_functions::describe(source_of(stage)->description, description);
  // Stages that are fused into one pass are enqueued together.
  gst_tandem_description_set_bands(description, FALSE);
}

// The file may change where its name does not.
void add_settings(GstTandemStage* stage, GstStructure* settings) {
  gst_structure_set(settings, kCode, G_TYPE_UINT64, guint64{hash_of(source_of(stage)->text)},
                    nullptr);
}

// GObject writes at_least as at-least.
const GValue* setting_of(const StageParameter& parameter, const GstStructure* settings) {
  std::string name = parameter.name;
  std::ranges::replace(name, '_', '-');
  return gst_structure_get_value(settings, name.c_str());
}

std::vector<StageValue> values_of(const StageFile& file, const GstStructure* settings) {
  std::vector<StageValue> values;
  for (const StageParameter& p : file.parameters) {
    StageValue value = initial_value(p);
    const GValue* const set = setting_of(p, settings);
    if (!set) {
      // The file came after the settings had been read: they will be read again.
    } else if (p.type == StageParameter::Type::kFloat) {
      value.real = static_cast<float>(g_value_get_double(set));
    } else {
      value.whole = G_VALUE_HOLDS_BOOLEAN(set) ? g_value_get_boolean(set) : g_value_get_int(set);
    }
    values.push_back(value);
  }
  return values;
}

gboolean make_work(GstTandemStage* stage, const GstStructure* settings, GstTandemWork* work,
                   GError** error) {
  // It stays while frames come.
  const std::shared_ptr<const Source> source = source_of(stage);
  const auto make = [&](const WorkRequest& request) {
    if (!source->file) throw std::runtime_error(problem_of(*source));
    Self& self = self_of(stage);
    auto program = self.compiler.program(source->file, request.context);
    return std::make_unique<StageFileWork>(std::move(program), values_of(*source->file, settings),
                                           self.kept, request);
  };
  return stage_functions::make_work(source->description, work, error, make);
}

void restart(GstTandemStage* stage) { *self_of(stage).kept = {}; }

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  const auto source = source_of(GST_TANDEM_STAGE(element));
  const bool prepares = transition == GST_STATE_CHANGE_READY_TO_PAUSED;
  if (prepares || transition == GST_STATE_CHANGE_NULL_TO_READY) {
    if (const std::string problem = problem_of(*source); !problem.empty()) {
      GST_ELEMENT_ERROR(element, RESOURCE, SETTINGS, ("%s", problem.c_str()), (nullptr));
      return GST_STATE_CHANGE_FAILURE;
    }
  }
  if (prepares) self_of(element).compiler.begin(source->file);
  return GST_ELEMENT_CLASS(parent_class)->change_state(element, transition);
}

void init(GTypeInstance* instance, gpointer) {
  reinterpret_cast<Instance*>(instance)->self = new Self;
}

void dispose(GObject* object) {
  set_source(object, std::make_shared<Source>());
  G_OBJECT_CLASS(parent_class)->dispose(object);
}

void finalize(GObject* object) {
  delete &self_of(object);
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

// Index 0 is the parameters of the file, if there is one.
guint get_children_count(GstChildProxy* proxy) {
  return source_of(GST_TANDEM_STAGE(proxy))->params ? 1 : 0;
}

GObject* get_child_by_index(GstChildProxy* proxy, guint index) {
  const auto source = source_of(GST_TANDEM_STAGE(proxy));
  if (index > 0 || !source->params) return nullptr;
  return G_OBJECT(gst_object_ref(source->params.get()));
}

void init_child_proxy(gpointer iface, gpointer) {
  auto* const child_proxy = static_cast<GstChildProxyInterface*>(iface);
  child_proxy->get_children_count = get_children_count;
  child_proxy->get_child_by_index = get_child_by_index;
}

void class_init(gpointer klass, gpointer) {
  parent_class = g_type_class_peek_parent(klass);
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  g_object_class_install_property(
      object_class, kLocation,
      g_param_spec_string("location", "Location",
                          "Stage file, whose parameters are properties of the child params, as in "
                          "params::gain=2. It is compiled and executed as a program",
                          "",
                          static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                   GST_PARAM_MUTABLE_READY)));
  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = change_state;
  gst_element_class_set_static_metadata(
      element_class, "Stage in one file", "Filter/Analyzer/Video",
      "Computes the stage that a stage file defines, on CPU cores or an OpenCL device",
      "The Tandem authors");
  auto* const stage_class = static_cast<GstTandemStageClass*>(klass);
  stage_class->describe = describe_stage;
  stage_class->add_settings = add_settings;
  stage_class->make_work = make_work;
  stage_class->restart = restart;
  stage_functions::set<StageFileWork>(stage_class);
  stage_functions::set_split<StageFileWork>(stage_class);
  static constexpr StageFileAccess access{
      [](GstTandemStage* stage) { return source_of(stage)->file; }, StageFileWork::layout_of};
  stage_class->stage_file = &access;
}

GType element_type() {
  static const GType type = [] {
    const GType made = g_type_register_static_simple(
        GST_TYPE_TANDEM_STAGE, "GstKernelStage", sizeof(GstTandemStageClass), class_init,
        sizeof(Instance), init, static_cast<GTypeFlags>(0));
    const GInterfaceInfo child_proxy{init_child_proxy, nullptr, nullptr};
    g_type_add_interface_static(made, GST_TYPE_CHILD_PROXY, &child_proxy);
    return made;
  }();
  return type;
}

}  // namespace
}  // namespace tandem

GType gst_kernel_stage_get_type() { return tandem::element_type(); }
