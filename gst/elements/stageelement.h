// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/propertytable.h>

#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gst/elements/splitwork.h"
#include "gst/elements/stagework.h"

namespace tandem {

/// Makes a T from a key, such as a model's path and an OpenCL context, and keeps the last one. Data
/// for frames of any size are thus made once.
template <class T, class... Key>
class LastMade {
 public:
  /// Returns T(key...). It keeps the key alive. Throws what the constructor throws.
  std::shared_ptr<const T> of(const Key&... key) {
    if (std::tuple wanted(key...); !made_ || made_->key != wanted)
      made_ = std::make_shared<const Made>(std::move(wanted));
    return {made_, &made_->value};
  }

 private:
  struct Made {
    const std::tuple<Key...> key;
    const T value;
    explicit Made(std::tuple<Key...> from)
        : key(std::move(from)), value(std::make_from_tuple<T>(key)) {}
  };
  std::shared_ptr<const Made> made_;
};

/// Flags of a property without influence on the time of a frame, so that the bin's choice does not
/// depend on it. For values that a slider or an animation changes with every frame.
inline constexpr int kKeepsWork = GST_PARAM_MUTABLE_PLAYING | GST_TANDEM_PARAM_KEEPS_WORK;

struct NoSettings {};

/// The part of an element, see StageElement, whose work is
///   Work(std::shared_ptr<Kernels>, const WorkRequest&, const ItsSettings&)
/// with the last parameter only if there are settings. `Kernels` is constructible from an
/// opencl::Context&, and null without a device.
template <class Work, class Kernels, class ItsSettings = NoSettings>
class KernelElement {
 public:
  using Settings = ItsSettings;

  std::unique_ptr<Work> make_work(const Settings& settings, const WorkRequest& request) {
    const auto made = made_.of(request.context);
    std::shared_ptr<Kernels> kernels(made, made->kernels.get());
    if constexpr (std::is_same_v<Settings, NoSettings>) {
      return std::make_unique<Work>(std::move(kernels), request);
    } else {
      return std::make_unique<Work>(std::move(kernels), request, settings);
    }
  }

 private:
  struct OnDevice {
    std::unique_ptr<Kernels> kernels;
    explicit OnDevice(const std::shared_ptr<opencl::Context>& context)
        : kernels(context ? std::make_unique<Kernels>(*context) : nullptr) {}
  };
  LastMade<OnDevice, std::shared_ptr<opencl::Context>> made_;
};

/// Makes the GObject class of a stage element from a struct with the element's own parts:
///   struct Element {
///     struct Settings { ... };
///     static constexpr char kTypeName[];                      // "GstVividFilter"
///     static constexpr char kLongName[], kSummary[];
///     static constexpr char kKlass[];                         // optional: else an analyzer's
///     static StageDescription description();
///     static StageDescription description(const Settings&);   // instead: of an instance
///     static constexpr Property<Settings> kProperties[];      // none: leave it out
///     static int rounds(const Settings&);                     // of a description that repeats
///     std::unique_ptr<Work> make_work(const Settings&, const WorkRequest&);  // may throw
///     void restart();  // as that of GstTandemStageClass; keeps nothing: leave it out
///   };
/// All properties may change while PLAYING; stage alone and bin take them over between two frames.
/// `make_work` is called by one thread at a time; `Work` is a StageWork.
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

  struct Private {
    Settings settings;  // under the object lock
    std::mutex mutex;   // guards `element`
    Element element;
  };
  struct Instance {
    GstTandemStage parent;
    Private* self;
  };

  static inline gpointer parent_class = nullptr;

  static Private& self_of(gpointer object) { return *static_cast<Instance*>(object)->self; }
  static Settings& settings_in(GObject* object) { return self_of(object).settings; }

  static void init(Instance* instance, gpointer) { instance->self = new Private; }

  static void finalize(GObject* object) {
    delete &self_of(object);
    G_OBJECT_CLASS(parent_class)->finalize(object);
  }

  static Settings settings_of(const GstStructure* values) {
    Settings settings{};
    if constexpr (requires { Element::kProperties; }) {
      for (const auto& property : Element::kProperties) {
        const GValue* value = gst_structure_get_value(values, property.name);
        if (value) set_member(property, settings, value);
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
    Private& self = self_of(stage);
    return stage_functions::make_work(description_of(settings), work, error,
                                      [&](const WorkRequest& request) {
                                        std::lock_guard lock(self.mutex);
                                        return self.element.make_work(settings, request);
                                      });
  }

  static void restart(GstTandemStage* stage) {
    std::lock_guard lock(self_of(stage).mutex);
    self_of(stage).element.restart();
  }

  static const char* klass_of_element() {
    if constexpr (requires { Element::kKlass; }) return Element::kKlass;
    return "Filter/Analyzer/Video";
  }

  // With the reason why frames stay whole in it, if they do.
  static std::string summary() {
    const std::string whole = description_of(Settings{}).whole;
    return Element::kSummary + (whole.empty() ? "" : ". Frames are not split: " + whole);
  }

  static void class_init(GstTandemStageClass* klass, gpointer) {
    parent_class = g_type_class_peek_parent(klass);
    GObjectClass* object_class = G_OBJECT_CLASS(klass);
    object_class->finalize = finalize;
    if constexpr (requires { Element::kProperties; })
      install_properties<Element::kProperties, settings_in>(object_class);
    gst_element_class_set_metadata(GST_ELEMENT_CLASS(klass), Element::kLongName, klass_of_element(),
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
