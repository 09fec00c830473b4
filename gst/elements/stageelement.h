// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/ref.h>

#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gst/elements/splitwork.h"
#include "gst/elements/stagework.h"

namespace tandem {

/// One property of a stage element: a member of its Settings, whose initial value is the default.
/// Numbers state their range.
template <typename Settings>
struct StageProperty {
  const char* name;
  const char* nick;
  const char* blurb;
  std::variant<bool Settings::*, int Settings::*, double Settings::*, std::string Settings::*>
      member;
  double least = 0, most = 0;
  /// Whether frames take as long whatever it is: it is no part of what the bin's choice depends on.
  /// For values that a slider or an animation changes with every frame.
  bool keeps_work = false;
};

/// Makes the GObject class of a stage element from
///   struct Element {
///     struct Settings { ... };
///     static constexpr char kTypeName[];                      // "GstVividFilter"
///     static constexpr char kLongName[], kSummary[], kKlass[];
///     static const StageDescription& description();
///     static StageDescription description(const Settings&);   // instead: of an instance
///     static const std::vector<StageProperty<Settings>>& properties();  // none: leave it out
///     static int rounds(const Settings&);                     // of a description that repeats
///     std::unique_ptr<Work> make_work(const Settings&, const WorkRequest&);  // may throw
///     void restart();  // as that of GstTandemStageClass; keeps nothing: leave it out
///   };
/// so that an element's file holds what is its own and nothing else. All properties may change
/// while PLAYING; stage alone and bin take them over between two frames. `make_work` is called by
/// one thread at a time; `Work` is a StageWork.
template <typename Element>
class StageElement {
 public:
  static GType get_type() {
    static const GType type = g_type_register_static_simple(
        GST_TYPE_TANDEM_STAGE, Element::kTypeName, sizeof(GstTandemStageClass),
        reinterpret_cast<GClassInitFunc>(class_init), sizeof(Instance),
        reinterpret_cast<GInstanceInitFunc>(init), static_cast<GTypeFlags>(0));
    return type;
  }

 private:
  using Settings = typename Element::Settings;

  struct Instance {
    GstTandemStage parent;
    Settings* settings;  // under the object lock
    std::mutex* mutex;   // guards `element`
    Element* element;
  };

  static inline gpointer parent_class = nullptr;

  static Instance* cast(gpointer object) { return static_cast<Instance*>(object); }

  static void init(Instance* self, gpointer) {
    self->settings = new Settings;
    self->mutex = new std::mutex;
    self->element = new Element;
  }

  static void finalize(GObject* object) {
    delete cast(object)->element;
    delete cast(object)->mutex;
    delete cast(object)->settings;
    G_OBJECT_CLASS(parent_class)->finalize(object);
  }

  static void set_member(Settings& settings, const StageProperty<Settings>& property,
                         const GValue* value) {
    const auto& member = property.member;
    if (auto* number = std::get_if<int Settings::*>(&member)) {
      settings.** number = g_value_get_int(value);
    } else if (auto* real = std::get_if<double Settings::*>(&member)) {
      settings.** real = g_value_get_double(value);
    } else if (auto* flag = std::get_if<bool Settings::*>(&member)) {
      settings.** flag = g_value_get_boolean(value) != FALSE;
    } else if constexpr (sizeof(Settings) >= sizeof(std::string)) {  // else it has none
      const gchar* text = g_value_get_string(value);
      settings.*std::get<std::string Settings::*>(member) = text ? text : "";
    }
  }

  static void set_property(GObject* object, guint id, const GValue* value, GParamSpec*) {
    ObjectLock lock(object);
    set_member(*cast(object)->settings, Element::properties()[id - 1], value);
  }

  static void get_property(GObject* object, guint id, GValue* value, GParamSpec*) {
    ObjectLock lock(object);
    const Settings& settings = *cast(object)->settings;
    const auto& member = Element::properties()[id - 1].member;
    if (auto* number = std::get_if<int Settings::*>(&member)) {
      g_value_set_int(value, settings.**number);
    } else if (auto* real = std::get_if<double Settings::*>(&member)) {
      g_value_set_double(value, settings.**real);
    } else if (auto* flag = std::get_if<bool Settings::*>(&member)) {
      g_value_set_boolean(value, settings.**flag);
    } else {
      g_value_set_string(value, (settings.*std::get<std::string Settings::*>(member)).c_str());
    }
  }

  static GParamSpec* param_spec(const StageProperty<Settings>& p) {
    static const Settings defaults{};
    const auto flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                GST_PARAM_MUTABLE_PLAYING |
                                                (p.keeps_work ? GST_TANDEM_PARAM_KEEPS_WORK : 0));
    if (auto* number = std::get_if<int Settings::*>(&p.member)) {
      return g_param_spec_int(p.name, p.nick, p.blurb, static_cast<int>(p.least),
                              static_cast<int>(p.most), defaults.**number, flags);
    }
    if (auto* real = std::get_if<double Settings::*>(&p.member))
      return g_param_spec_double(p.name, p.nick, p.blurb, p.least, p.most, defaults.**real, flags);
    if (auto* flag = std::get_if<bool Settings::*>(&p.member))
      return g_param_spec_boolean(p.name, p.nick, p.blurb, defaults.**flag, flags);
    return g_param_spec_string(p.name, p.nick, p.blurb,
                               (defaults.*std::get<std::string Settings::*>(p.member)).c_str(),
                               flags);
  }

  static Settings settings_of(const GstStructure* values) {
    Settings settings{};
    if constexpr (requires { Element::properties(); }) {
      for (const auto& property : Element::properties()) {
        const GValue* value = gst_structure_get_value(values, property.name);
        if (value) set_member(settings, property, value);
      }
    }
    return settings;
  }

  static StageDescription description_of(const Settings& settings) {
    if constexpr (requires { Element::description(settings); }) {
      return Element::description(settings);
    } else {
      return Element::description();
    }
  }

  static void describe(GstTandemStage*, const GstStructure* values,
                       GstTandemDescription* description) {
    stage_functions::describe(description_of(settings_of(values)), description);
  }

  static gint get_rounds(GstTandemStage*, const GstStructure* values) {
    return Element::rounds(settings_of(values));
  }

  static gboolean make_work(GstTandemStage* stage, const GstStructure* values, GstTandemWork* work,
                            GError** error) {
    const Settings settings = settings_of(values);
    Instance* self = cast(stage);
    return stage_functions::make_work(description_of(settings), work, error,
                                      [&](const WorkRequest& request) {
                                        std::lock_guard lock(*self->mutex);
                                        return self->element->make_work(settings, request);
                                      });
  }

  static void restart(GstTandemStage* stage) {
    Instance* self = cast(stage);
    std::lock_guard lock(*self->mutex);
    self->element->restart();
  }

  static StageDescription usual_description() {
    if constexpr (requires(Settings values) { Element::description(values); }) {
      return Element::description(Settings{});
    } else {
      return Element::description();
    }
  }

  // With why frames stay whole in it, where they do.
  static std::string summary() {
    const std::string whole = usual_description().whole;
    return Element::kSummary + (whole.empty() ? "" : ". Frames are not split: " + whole);
  }

  static void class_init(GstTandemStageClass* klass, gpointer) {
    parent_class = g_type_class_peek_parent(klass);
    GObjectClass* object_class = G_OBJECT_CLASS(klass);
    object_class->finalize = finalize;
    if constexpr (requires { Element::properties(); }) {
      object_class->set_property = set_property;
      object_class->get_property = get_property;
      guint id = 0;
      for (const auto& property : Element::properties())
        g_object_class_install_property(object_class, ++id, param_spec(property));
    }

    GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
    gst_element_class_set_metadata(element_class, Element::kLongName, Element::kKlass,
                                   summary().c_str(), "The Tandem authors");

    klass->describe = describe;
    klass->make_work = make_work;
    if constexpr (requires(Settings settings) { Element::rounds(settings); })
      klass->get_rounds = get_rounds;
    if constexpr (requires(Element element) { element.restart(); }) klass->restart = restart;
    using Work = typename decltype(std::declval<Element>().make_work(
        std::declval<const Settings&>(), std::declval<const WorkRequest&>()))::element_type;
    stage_functions::set<Work>(klass);
    if constexpr (std::is_base_of_v<SplitWork, Work>) stage_functions::set_split<Work>(klass);
  }
};

}  // namespace tandem
