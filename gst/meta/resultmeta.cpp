// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/meta/resultmeta.h"

namespace tandem {
namespace {

constexpr char kName[] = "GstTandemResultMeta";

FrameResultMeta* of(GstMeta* meta) { return reinterpret_cast<FrameResultMeta*>(meta); }

gboolean result_init(GstMeta* meta, gpointer, GstBuffer*) {
  of(meta)->results = nullptr;
  of(meta)->detector_ran = false;
  return TRUE;
}

void result_free(GstMeta* meta, GstBuffer*) { g_clear_pointer(&of(meta)->results, g_array_unref); }

// Nothing in it is a place, so that it suits a frame of any size. Where the frame already has
// results, these are of the same regions.
gboolean result_transform(GstBuffer* destination, GstMeta* meta, GstBuffer*, GQuark, gpointer) {
  if (result_meta_of(destination)) return TRUE;
  FrameResultMeta* copy = of(gst_buffer_add_meta(destination, meta->info, nullptr));
  if (!copy) return FALSE;
  for (const RegionResult& result : results_in(of(meta))) add_result(copy, result);
  copy->detector_ran = of(meta)->detector_ran;
  return TRUE;
}

// The plugin and the programs that link this have one type between them.
const GstMetaInfo* result_info() {
  static const GstMetaInfo* const info = [] {
    if (const GstMetaInfo* known = gst_meta_get_info(kName)) return known;
    static const gchar* const tags[] = {nullptr};  // no element needs to know of it to copy it
    return gst_meta_register(
        gst_meta_api_type_register("GstTandemResultMetaAPI", const_cast<const gchar**>(tags)),
        kName, sizeof(FrameResultMeta), result_init, result_free, result_transform);
  }();
  return info;
}

}  // namespace

std::span<RegionResult> results_in(const FrameResultMeta* meta) {
  if (!meta || !meta->results) return {};
  return {reinterpret_cast<RegionResult*>(meta->results->data), meta->results->len};
}

RegionResult& add_result(FrameResultMeta* meta, const RegionResult& result) {
  if (!meta->results) meta->results = g_array_new(FALSE, FALSE, sizeof(RegionResult));
  g_array_append_val(meta->results, result);
  return results_in(meta).back();
}

FrameResultMeta* result_meta_of(GstBuffer* frame) {
  const GType type = g_type_from_name("GstTandemResultMetaAPI");
  if (type == G_TYPE_INVALID) return nullptr;  // no frame has had one yet
  return of(gst_buffer_get_meta(frame, type));
}

FrameResultMeta* ensure_result_meta(GstBuffer* frame) {
  FrameResultMeta* meta = result_meta_of(frame);
  if (meta || !gst_buffer_is_writable(frame)) return meta;
  return of(gst_buffer_add_meta(frame, result_info(), nullptr));
}

}  // namespace tandem
