// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/openclcontext.h>
#include <gst/tandem/private/ref.h>

#include <mutex>
#include <vector>

namespace tandem {
namespace {

using Shared = std::shared_ptr<opencl::Context>;

// The shared pointer travels beside the raw handles, so that elements of Tandem share its program
// cache.
GType shared_context_type() {
  static const GType type = g_boxed_type_register_static(
      "TandemOpenCLContext",
      [](gpointer p) -> gpointer { return new Shared(*static_cast<Shared*>(p)); },
      [](gpointer p) { delete static_cast<Shared*>(p); });
  return type;
}

GstContext* make_gst_context(const Shared& context) {
  GstContext* made = gst_context_new(GST_TANDEM_OPENCL_CONTEXT_TYPE, FALSE);
  gst_structure_set(gst_context_writable_structure(made), "cl-context", G_TYPE_POINTER,
                    context->cl_context(), "cl-device", G_TYPE_POINTER, context->cl_device_id(),
                    "tandem-context", shared_context_type(), &context, nullptr);
  return made;
}

// Wraps an application's handles; the same ones once, so that elements share what is made for them.
Shared wrap_once(gpointer cl_context, gpointer cl_device) {
  static std::mutex mutex;
  static std::vector<std::weak_ptr<opencl::Context>> wrapped;
  std::lock_guard lock(mutex);
  std::erase_if(wrapped, [](const auto& each) { return each.expired(); });
  for (const auto& each : wrapped) {
    Shared known = each.lock();
    if (known && known->cl_context() == cl_context && known->cl_device_id() == cl_device)
      return known;
  }
  Shared made = opencl::Context::wrap(cl_context, cl_device);
  wrapped.push_back(made);
  return made;
}

// Opens a device once for all pipelines of the process: work in several contexts takes turns on a
// device instead of sharing it.
Shared open_once(const std::string& selector) {
  struct Opened {
    std::string selector;
    std::weak_ptr<opencl::Context> context;
  };
  static std::mutex mutex;
  static std::vector<Opened> opened;
  std::lock_guard lock(mutex);
  std::erase_if(opened, [](const Opened& each) { return each.context.expired(); });
  for (const Opened& each : opened) {
    if (each.selector != selector) continue;
    if (Shared known = each.context.lock()) return known;
  }
  Shared made = opencl::Context::open(selector);
  for (const Opened& each : opened) {  // by another name
    Shared known = each.context.lock();
    const auto has_one = [](const Shared& context) {
      return context->devices() == 1 && context->further().empty();
    };
    if (known && has_one(known) && has_one(made) && known->cl_device_id() == made->cl_device_id())
      made = known;
  }
  opened.push_back({selector, made});
  return made;
}

Shared context_of(GstElement* element) {
  ContextRef context(gst_element_get_context(element, GST_TANDEM_OPENCL_CONTEXT_TYPE));
  return context ? opencl_context_from(context.get()) : nullptr;
}

// Queries one pad's peer and passes its answer to the element.
gboolean ask_peer(GstElement* element, GstPad* pad, gpointer query) {
  if (!gst_pad_peer_query(pad, GST_QUERY(query))) return TRUE;
  GstContext* answer = nullptr;
  gst_query_parse_context(GST_QUERY(query), &answer);
  if (!answer) return TRUE;
  gst_element_set_context(element, answer);
  return FALSE;
}

}  // namespace

Shared opencl_context_from(GstContext* context) {
  if (!gst_context_has_context_type(context, GST_TANDEM_OPENCL_CONTEXT_TYPE)) return nullptr;
  const GstStructure* fields = gst_context_get_structure(context);
  if (const GValue* value = gst_structure_get_value(fields, "tandem-context");
      value && G_VALUE_HOLDS(value, shared_context_type())) {
    return *static_cast<Shared*>(g_value_get_boxed(value));
  }
  gpointer cl_context = nullptr, cl_device = nullptr;
  if (!gst_structure_get(fields, "cl-context", G_TYPE_POINTER, &cl_context, "cl-device",
                         G_TYPE_POINTER, &cl_device, nullptr)) {
    GST_WARNING("a %s must have the pointers cl-context and cl-device",
                GST_TANDEM_OPENCL_CONTEXT_TYPE);
    return nullptr;
  }
  try {
    return wrap_once(cl_context, cl_device);
  } catch (const opencl::Error& e) {
    GST_WARNING("the application's OpenCL context cannot be used: %s", e.what());
    return nullptr;
  }
}

Shared given_opencl_context(GstElement* element) {
  if (Shared mine = context_of(element)) return mine;
  QueryRef query(gst_query_new_context(GST_TANDEM_OPENCL_CONTEXT_TYPE));
  gst_element_foreach_src_pad(element, ask_peer, query.get());
  if (Shared theirs = context_of(element)) return theirs;
  gst_element_foreach_sink_pad(element, ask_peer, query.get());
  if (Shared theirs = context_of(element)) return theirs;
  gst_element_post_message(element, gst_message_new_need_context(GST_OBJECT_CAST(element),
                                                                 GST_TANDEM_OPENCL_CONTEXT_TYPE));
  return context_of(element);
}

Shared open_opencl_context(GstElement* element, const std::string& selector) {
  if (Shared given = context_of(element)) return given;
  Shared opened = open_once(selector);
  GstContext* context = make_gst_context(opened);
  gst_element_set_context(element, context);
  gst_element_post_message(element,
                           gst_message_new_have_context(GST_OBJECT_CAST(element), context));
  return opened;
}

Shared find_opencl_context(GstElement* element, const std::string& selector) {
  Shared given = given_opencl_context(element);
  return given ? given : open_opencl_context(element, selector);
}

bool answer_opencl_context_query(GstElement* element, GstQuery* query) {
  const gchar* type = nullptr;
  if (GST_QUERY_TYPE(query) != GST_QUERY_CONTEXT) return false;
  gst_query_parse_context_type(query, &type);
  if (!g_str_equal(type, GST_TANDEM_OPENCL_CONTEXT_TYPE)) return false;
  ContextRef mine(gst_element_get_context(element, GST_TANDEM_OPENCL_CONTEXT_TYPE));
  if (!mine) return false;
  gst_query_set_context(query, mine.get());
  return true;
}

}  // namespace tandem
