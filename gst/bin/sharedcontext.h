// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <memory>

namespace tandem {

/// A GstContext that carries a shared pointer. `boxed_name` is that of its GType.
template <class T, const char* boxed_name>
class SharedContext {
 public:
  using Shared = std::shared_ptr<T>;

  static GstContext* make(const char* context_type, const Shared& shared) {
    GstContext* made = gst_context_new(context_type, TRUE);
    gst_structure_set(gst_context_writable_structure(made), kField, boxed(), &shared, nullptr);
    return made;
  }

  /// What the element was given; null when nothing.
  static Shared of(GstElement* element, const char* context_type) {
    const ContextRef context(gst_element_get_context(element, context_type));
    if (!context) return nullptr;
    const GValue* value = gst_structure_get_value(gst_context_get_structure(context.get()), kField);
    if (!value || !G_VALUE_HOLDS(value, boxed())) return nullptr;
    return *static_cast<Shared*>(g_value_get_boxed(value));
  }

 private:
  static constexpr char kField[] = "tandem-shared";

  static GType boxed() {
    static const GType type = g_boxed_type_register_static(
        boxed_name, [](gpointer p) -> gpointer { return new Shared(*static_cast<Shared*>(p)); },
        [](gpointer p) { delete static_cast<Shared*>(p); });
    return type;
  }
};

}  // namespace tandem
