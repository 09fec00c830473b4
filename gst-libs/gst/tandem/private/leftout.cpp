// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/leftout.h>

namespace tandem {
namespace {

// A custom meta needs no tag: it holds for the frame whatever becomes of the pixels.
constexpr char kName[] = "GstTandemLeftOut";

const GstMetaInfo* registered() {
  static const gchar* tags[] = {nullptr};
  static const GstMetaInfo* const info =
      gst_meta_register_custom(kName, tags, nullptr, nullptr, nullptr);
  return info;
}

}  // namespace

void mark_left_out(GstBuffer* buffer) {
  if (!is_marked_left_out(buffer)) gst_buffer_add_custom_meta(buffer, kName);
}

bool is_marked_left_out(GstBuffer* buffer) {
  return registered() && gst_buffer_get_custom_meta(buffer, kName) != nullptr;
}

}  // namespace tandem
