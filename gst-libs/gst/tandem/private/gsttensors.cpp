// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/analytics/analytics.h>
#include <gst/tandem/private/gsttensors.h>
#include <gst/tandem/private/tensorpool.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tandem::gst_tensors {
namespace {

GstTensorDataType type_of(GstTandemElementType type) {
  switch (type) {
    case GST_TANDEM_ELEMENT_TYPE_UINT8:
      return GST_TENSOR_DATA_TYPE_UINT8;
    case GST_TANDEM_ELEMENT_TYPE_INT32:
      return GST_TENSOR_DATA_TYPE_INT32;
    case GST_TANDEM_ELEMENT_TYPE_FLOAT16:
      return GST_TENSOR_DATA_TYPE_FLOAT16;
    case GST_TANDEM_ELEMENT_TYPE_FLOAT32:
      break;
  }
  return GST_TENSOR_DATA_TYPE_FLOAT32;
}

GstTensor* tensor_of(const GstTandemTensorMeta& from) {
  GstBuffer* data = gst_buffer_new();
  gst_buffer_append_memory(data, gst_memory_ref(from.memory));
  std::array<gsize, GST_TANDEM_TENSOR_MAX_DIMENSIONS> sides{1};  // of a single number
  std::copy_n(from.shape, from.dimensions, sides.begin());
  return gst_tensor_new_simple(g_quark_from_static_string(from.name), type_of(from.element_type),
                               data, GST_TENSOR_DIM_ORDER_ROW_MAJOR, std::max(from.dimensions, 1U),
                               sides.data());
}

bool is_ours(const GstTensor* tensor) {
  return tensor && tensor->data && gst_buffer_n_memory(tensor->data) == 1 &&
         tandem_memory_buffer(gst_buffer_peek_memory(tensor->data, 0));
}

// The frame's meta whose tensors are Tandem's; null where there is none.
GstTensorMeta* our_meta(GstBuffer* frame) {
  gpointer state = nullptr;
  while (GstMeta* found =
             gst_buffer_iterate_meta_filtered(frame, &state, GST_TENSOR_META_API_TYPE)) {
    auto* meta = reinterpret_cast<GstTensorMeta*>(found);
    if (meta->num_tensors > 0 && is_ours(meta->tensors[0])) return meta;
  }
  return nullptr;
}

}  // namespace

bool are_available() { return true; }

void add(GstBuffer* frame, std::span<const GstTandemTensorMeta* const> tensors) {
  GstTensorMeta* meta = our_meta(frame);
  std::vector<GstTensor*> all;
  for (gsize i = 0; meta && i < meta->num_tensors; ++i)
    all.push_back(gst_tensor_copy(meta->tensors[i]));
  for (const GstTandemTensorMeta* tensor : tensors) {
    GstTensor* const made = tensor_of(*tensor);
    const auto same =
        std::ranges::find_if(all, [&](const GstTensor* other) { return other->id == made->id; });
    if (same == all.end()) {
      all.push_back(made);
    } else {
      gst_tensor_free(*same);
      *same = made;
    }
  }
  // gst_buffer_add_tensor_meta() would return the one of another element.
  if (!meta) {
    meta = reinterpret_cast<GstTensorMeta*>(
        gst_buffer_add_meta(frame, gst_tensor_meta_get_info(), nullptr));
  }
  // The meta takes over the array, too.
  gst_tensor_meta_set(meta, static_cast<guint>(all.size()),
                      static_cast<GstTensor**>(g_memdup2(all.data(), all.size() * sizeof all[0])));
}

}  // namespace tandem::gst_tensors
