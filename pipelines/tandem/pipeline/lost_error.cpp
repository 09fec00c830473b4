// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/lost_error.h"

#include <gst/tandem/private/ref.h>

#include <memory>

namespace tandem {
namespace {

// It reads by itself, on a task of its sink pad, which it pauses at the end or when it fails.
bool has_stopped(GstElement* element) {
  const ObjectRef<GstPad> sink(gst_element_get_static_pad(element, "sink"));
  return sink && GST_PAD_MODE(sink.get()) == GST_PAD_MODE_PULL &&
         gst_pad_get_task_state(sink.get()) == GST_TASK_PAUSED;
}

// 0: found, as GCompareFunc has it.
gint is_demuxer_without_streams(gconstpointer item, gconstpointer) {
  auto* element = GST_ELEMENT(g_value_get_object(static_cast<const GValue*>(item)));
  const bool found = !GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SINK) &&
                     element->numsrcpads == 0 && has_stopped(element);
  return found ? 0 : 1;
}

}  // namespace

GstElement* demuxer_without_streams(GstBin* pipeline) {
  using Iterator = std::unique_ptr<GstIterator, decltype(&gst_iterator_free)>;
  const Iterator elements(gst_bin_iterate_recurse(pipeline), gst_iterator_free);
  GValue found = G_VALUE_INIT;
  if (!gst_iterator_find_custom(elements.get(), is_demuxer_without_streams, &found, nullptr))
    return nullptr;
  auto* element = GST_ELEMENT(g_value_dup_object(&found));
  g_value_unset(&found);
  return element;
}

}  // namespace tandem
