// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/kernelstage/kernelstage.h"

#include <gst/tandem/private/ref.h>
#include <gst/tandem/private/stagefile.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "files/hash.h"
#include "files/regular_file.h"
#include "gst/elements/kernelstage/stageclass.h"
#include "gst/elements/kernelstage/stagefilework.h"
#include "gst/elements/kernelstage/stageprogram.h"
#include "gst/elements/kernelstage/tensormaker.h"
#include "gst/util/propertytext.h"

namespace tandem {
namespace {

GType base_type();
GType element_type();
void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec);
void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec);

/// What `location` names, read when it was set.
struct Source {
  std::string location;
  std::string text;
  std::shared_ptr<const StageFile> file;
  std::string problem;  ///< why there is no file
  StageDescription description;
};

/// What belongs to the element; the frame path works with what make_work() made of it.
struct Self {
  // Under the object lock.
  std::shared_ptr<const Source> source = std::make_shared<Source>();
  std::vector<StageValue> values;
  std::string problem;  ///< of a parameter that a launch line gives

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

const char* kind_of(const StageParameter& p) {
  if (p.type == StageParameter::Type::kBool) return "truth value";
  return p.type == StageParameter::Type::kInt ? "whole number" : "number";
}

StageDescription describe(const StageFile& file) {
  StageDescription description;
  const StagePlan plan = plan_stage(file);
  for (const StageTensor& tensor : plan.tensors) {
    if (tensor.role == StageTensor::Role::kInput)
      description.inputs.push_back({tensor.tensor.c_str(), maker_of(tensor.tensor)});
  }
  description.serial = file.keeps();
  // Without a compiler the stage is the device's, if the file lets it be.
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
      auto* const base = static_cast<GObjectClass*>(g_type_class_peek(base_type()));
      if (g_object_class_find_property(base, p.name.c_str()))
        throw StageFileError(location + ":" + std::to_string(p.line) +
                             ":1: every stage has a property '" + p.name + "' already");
    }
  } catch (const StageFileError& error) {
    source->file.reset();
    source->problem = error.what();
  }
  source->text = std::move(read.bytes);
  return source;
}

void set_parameter(GObject* object, guint id, const GValue* value, GParamSpec*) {
  {
    ObjectLock lock(object);
    StageValue& mine = self_of(object).values.at(id - kFirstParameterProperty);
    if (G_VALUE_HOLDS_DOUBLE(value)) {
      mine.real = static_cast<float>(g_value_get_double(value));
    } else {
      mine.whole =
          G_VALUE_HOLDS_BOOLEAN(value) ? g_value_get_boolean(value) : g_value_get_int(value);
    }
  }
}

void get_parameter(GObject* object, guint id, GValue* value, GParamSpec*) {
  ObjectLock lock(object);
  const StageValue mine = self_of(object).values.at(id - kFirstParameterProperty);
  if (G_VALUE_HOLDS_DOUBLE(value)) {
    g_value_set_double(value, static_cast<double>(mine.real));
  } else if (G_VALUE_HOLDS_BOOLEAN(value)) {
    g_value_set_boolean(value, mine.whole != 0);
  } else {
    g_value_set_int(value, mine.whole);
  }
}

constexpr PropertyFunctions kParameter{set_parameter, get_parameter};

// A parameter as text, which the file says how to read: of an element whose class was looked up
// before it had the file. An error in it is told when the element starts.
void set_text(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  if (id == kLocationProperty) return set_property(object, id, value, spec);
  const std::string name = announced_name(id);
  const gchar* const text = g_value_get_string(value);
  GParamSpec* const pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(object), name.c_str());
  std::string problem;
  const std::shared_ptr<const StageFile> file = self_of(object).source->file;
  if (!file) return;  // has a problem of its own
  const auto parameter = std::ranges::find(file->parameters, name, &StageParameter::name);
  if (!pspec || parameter == file->parameters.end()) {
    problem = self_of(object).source->location + " has no parameter '" + name + "': it has ";
    for (const StageParameter& p : file->parameters)
      problem += (&p == file->parameters.data() ? "" : ", ") + p.name;
    if (file->parameters.empty()) problem += "none";
  } else {
    GValue typed = G_VALUE_INIT;
    g_value_init(&typed, pspec->value_type);
    if (!text || !gst_value_deserialize(&typed, text)) {
      problem = name + "=" + (text ? text : "") + " is no " + kind_of(*parameter) + " (" +
                range_text(pspec) + ")";
    } else if (g_param_value_validate(pspec, &typed)) {
      problem = name + "=" + text + " is out of the range " + range_text(pspec) + " that " +
                self_of(object).source->location + " states";
    } else {
      g_object_set_property(object, pspec->name, &typed);
    }
    g_value_unset(&typed);
  }
  ObjectLock lock(object);
  if (self_of(object).problem.empty()) self_of(object).problem = problem;
}

void get_text(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  if (id == kLocationProperty) return get_property(object, id, value, spec);
  const std::string name = announced_name(id);
  GParamSpec* const pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(object), name.c_str());
  if (!pspec || pspec->owner_type == element_type()) return;
  GValue typed = G_VALUE_INIT;
  g_value_init(&typed, pspec->value_type);
  g_object_get_property(object, pspec->name, &typed);
  g_value_take_string(value, gst_value_serialize(&typed));
  g_value_unset(&typed);
}

void set_location(GObject* object, const std::string& location) {
  auto source = read_source(location);
  std::vector<StageValue> values;
  GType type = element_type();
  if (source->file) {
    const auto& parameters = source->file->parameters;
    for (const StageParameter& p : parameters) values.push_back(initial_value(p));
    announce(element_type(), parameters);
    type = stage_class_of(base_type(), element_type(), parameters, kParameter);
  }
  {
    ObjectLock lock(object);
    self_of(object).source = std::move(source);
    self_of(object).values = std::move(values);
    self_of(object).problem.clear();
    become(object, type);
  }
}

// A launch line names the file: its parameters follow.
void location_was_read(const char* location) {
  const auto source = read_source(location);
  if (source->file) {
    announce(element_type(), source->file->parameters);
  } else {
    // The parser will say that there is no such property, which is not the reason.
    g_warning("kernelstage: %s", source->problem.c_str());
  }
}

void set_property(GObject* object, guint, const GValue* value, GParamSpec*) {
  if (GST_STATE(object) > GST_STATE_READY) {
    g_warning("%s: location can change in the states NULL and READY alone",
              GST_OBJECT_NAME(object));
    return;
  }
  const gchar* const text = g_value_get_string(value);
  set_location(object, text ? text : "");
}

void get_property(GObject* object, guint, GValue* value, GParamSpec*) {
  ObjectLock lock(object);
  g_value_set_string(value, self_of(object).source->location.c_str());
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
  gst_structure_set(settings, "code", G_TYPE_UINT64, guint64{hash_of(source_of(stage)->text)},
                    nullptr);
}

std::vector<StageValue> values_of(const StageFile& file, const GstStructure* settings) {
  std::vector<StageValue> values;
  for (const StageParameter& p : file.parameters) {
    StageValue value = initial_value(p);
    const GValue* const set = gst_structure_get_value(settings, p.name.c_str());
    if (!set) {
      // The class has it from the next reading on.
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
    if (!source->file)
      throw std::runtime_error(source->location.empty()
                                   ? "kernelstage needs a stage file: set location"
                                   : source->problem);
    Self& self = self_of(stage);
    auto program = self.compiler.program(source->file, request.context);
    return std::make_unique<StageFileWork>(std::move(program), values_of(*source->file, settings),
                                           self.kept, request);
  };
  return stage_functions::make_work(source->description, work, error, make);
}

void restart(GstTandemStage* stage) { *self_of(stage).kept = {}; }

std::shared_ptr<const StageFile> file_of(GstElement* element) {
  ObjectLock lock(element);
  return self_of(element).source->file;
}

// Why it cannot start; empty: it can.
std::string problem_of(Self& self, GstElement* element) {
  ObjectLock lock(element);
  if (self.source->location.empty()) return "kernelstage needs a stage file: set location";
  return self.source->file ? self.problem : self.source->problem;
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  Self& self = self_of(element);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY) {
    if (const std::string problem = problem_of(self, element); !problem.empty()) {
      GST_ELEMENT_ERROR(element, RESOURCE, SETTINGS, ("%s", problem.c_str()), (nullptr));
      return GST_STATE_CHANGE_FAILURE;
    }
  }
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self.compiler.begin(file_of(element));
  }
  return GST_ELEMENT_CLASS(parent_class)->change_state(element, transition);
}

void init(GTypeInstance* instance, gpointer) {
  reinterpret_cast<Instance*>(instance)->self = new Self;
}

void finalize(GObject* object) {
  delete &self_of(object);
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

GParamSpec* location_spec() {
  return g_param_spec_string("location", "Location",
                             "The stage file, whose parameters become properties of the element. "
                             "It is compiled and run: a program",
                             "",
                             static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                      GST_PARAM_MUTABLE_READY));
}

// An element without a file is of a class without parameters: what inspects the element finds a
// plain string there.
void constructed(GObject* object) {
  G_OBJECT_CLASS(parent_class)->constructed(object);
  become(object, stage_class_of(base_type(), element_type(), {}, kParameter));
}

void class_init(gpointer klass, gpointer) {
  parent_class = g_type_class_peek_parent(klass);
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->constructed = constructed;
  object_class->finalize = finalize;
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  g_object_class_install_property(object_class, kLocationProperty, location_spec());
  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = change_state;
  gst_element_class_set_static_metadata(
      element_class, "Stage in one file", "Filter/Analyzer/Video",
      "Computes what a file of the user's says, on the cores and on the device",
      "The Tandem authors");
  auto* const stage_class = static_cast<GstTandemStageClass*>(klass);
  stage_class->describe = describe_stage;
  stage_class->add_settings = add_settings;
  stage_class->make_work = make_work;
  stage_class->restart = restart;
  stage_functions::set<StageFileWork>(stage_class);
  static constexpr StageFileAccess access{
      [](GstTandemStage* stage) { return source_of(stage)->file; }, StageFileWork::layout_of};
  stage_class->stage_file = &access;
}

GType base_type() {
  static const GType type = g_type_register_static_simple(
      GST_TYPE_TANDEM_STAGE, "GstKernelStageBase", sizeof(GstTandemStageClass), class_init,
      sizeof(Instance), init, G_TYPE_FLAG_ABSTRACT);
  return type;
}

void element_class_init(gpointer klass, gpointer) {
  G_OBJECT_CLASS(klass)->set_property = set_text;
  G_OBJECT_CLASS(klass)->get_property = get_text;
  // For the parser of launch lines alone, which looks properties up here.
  GParamSpec* const location = location_spec();
  location->value_type = stage_location_type(location_was_read);
  g_object_class_install_property(G_OBJECT_CLASS(klass), kLocationProperty, location);
}

// What the factory makes. Nothing derives from it: GObject lets nobody add properties to a class
// that others derive from.
GType element_type() {
  static const GType type = g_type_register_static_simple(
      base_type(), "GstKernelStage", sizeof(GstTandemStageClass), element_class_init,
      sizeof(Instance), nullptr, static_cast<GTypeFlags>(0));
  return type;
}

}  // namespace
}  // namespace tandem

GType gst_kernel_stage_get_type() { return tandem::element_type(); }
