// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/tensorspec.h>
#include <gst/tandem/tensormeta.h>

#include <algorithm>
#include <array>
#include <span>

#include "kernels/util/size_product.h"

GType gst_tandem_tensor_meta_api_get_type(void) {
  // Elements that make another frame (scaled, cropped, converted) copy the meta by these tags.
  static const gchar* tags[] = {GST_META_TAG_MEMORY_STR, nullptr};
  static const GType type = gst_meta_api_type_register("GstTandemTensorMetaAPI", tags);
  return type;
}

static gboolean tensor_meta_init(GstMeta* meta, gpointer, GstBuffer*) {
  auto* tensor = reinterpret_cast<GstTandemTensorMeta*>(meta);
  tensor->name = nullptr;
  tensor->dimensions = 0;
  tensor->memory = nullptr;
  return TRUE;
}

static void tensor_meta_free(GstMeta* meta, GstBuffer*) {
  auto* tensor = reinterpret_cast<GstTandemTensorMeta*>(meta);
  if (tensor->memory) gst_memory_unref(tensor->memory);
}

// A copy of the frame shares the tensor; a scaled or cropped frame is another frame.
static gboolean tensor_meta_transform(GstBuffer* destination, GstMeta* meta, GstBuffer*,
                                      GQuark type, gpointer data) {
  if (!GST_META_TRANSFORM_IS_COPY(type) || static_cast<GstMetaTransformCopy*>(data)->region)
    return FALSE;
  auto* tensor = reinterpret_cast<GstTandemTensorMeta*>(meta);
  return gst_buffer_add_tandem_tensor_meta(destination, tensor->name, tensor->element_type,
                                           tensor->dimensions, tensor->shape,
                                           gst_memory_ref(tensor->memory)) != nullptr;
}

const GstMetaInfo* gst_tandem_tensor_meta_get_info(void) {
  static const GstMetaInfo* const info = gst_meta_register(
      gst_tandem_tensor_meta_api_get_type(), "GstTandemTensorMeta", sizeof(GstTandemTensorMeta),
      tensor_meta_init, tensor_meta_free, tensor_meta_transform);
  return info;
}

GstTandemTensorMeta* gst_buffer_add_tandem_tensor_meta(GstBuffer* buffer, const gchar* name,
                                                       GstTandemElementType element_type,
                                                       guint dimensions, const gsize* shape,
                                                       GstMemory* memory) {
  g_return_val_if_fail(dimensions <= GST_TANDEM_TENSOR_MAX_DIMENSIONS, nullptr);
  auto* tensor = reinterpret_cast<GstTandemTensorMeta*>(
      gst_buffer_add_meta(buffer, gst_tandem_tensor_meta_get_info(), nullptr));
  if (!tensor) {
    gst_memory_unref(memory);
    return nullptr;
  }
  tensor->name = g_intern_string(name);
  tensor->element_type = element_type;
  tensor->dimensions = dimensions;
  std::copy_n(shape, dimensions, tensor->shape);
  tensor->memory = memory;
  return tensor;
}

GstTandemTensorMeta* gst_buffer_get_tandem_tensor_meta(GstBuffer* buffer, const gchar* name) {
  // Interned if there is any such tensor; else it does not become so.
  const GQuark quark = g_quark_try_string(name);
  if (quark == 0) return nullptr;
  const gchar* const interned = g_quark_to_string(quark);
  GstTandemTensorMeta* found = nullptr;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(buffer, &state,
                                                          gst_tandem_tensor_meta_api_get_type())) {
    auto* tensor = reinterpret_cast<GstTandemTensorMeta*>(meta);
    if (tensor->name == interned) found = tensor;
  }
  return found;
}

gchar** gst_buffer_get_tandem_tensor_names(GstBuffer* buffer) {
  GPtrArray* names = g_ptr_array_new();
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(buffer, &state,
                                                          gst_tandem_tensor_meta_api_get_type())) {
    const gchar* name = reinterpret_cast<GstTandemTensorMeta*>(meta)->name;
    if (!g_ptr_array_find(names, name, nullptr)) g_ptr_array_add(names, const_cast<gchar*>(name));
  }
  for (guint i = 0; i < names->len; ++i)
    names->pdata[i] = g_strdup(static_cast<const gchar*>(names->pdata[i]));
  g_ptr_array_add(names, nullptr);
  return reinterpret_cast<gchar**>(g_ptr_array_free(names, FALSE));
}

const gsize* gst_tandem_tensor_meta_get_shape(const GstTandemTensorMeta* tensor,
                                              guint* dimensions) {
  *dimensions = tensor->dimensions;
  return tensor->shape;
}

namespace {

struct Mapped {
  GstMemory* memory;
  GstMapInfo info;
};

void unmap(gpointer data) {
  auto* mapped = static_cast<Mapped*>(data);
  gst_memory_unmap(mapped->memory, &mapped->info);
  gst_memory_unref(mapped->memory);
  delete mapped;
}

}  // namespace

GBytes* gst_tandem_tensor_meta_get_bytes(const GstTandemTensorMeta* tensor) {
  auto* mapped = new Mapped{gst_memory_ref(tensor->memory), GST_MAP_INFO_INIT};
  if (!gst_memory_map(mapped->memory, &mapped->info, GST_MAP_READ)) {
    gst_memory_unref(mapped->memory);
    delete mapped;
    return nullptr;
  }
  const gsize elements = tandem::product_of_sizes(std::span(tensor->shape, tensor->dimensions));
  const gsize bytes =
      tandem::product_of_sizes(std::array{elements, tandem::element_bytes(tensor->element_type)});
  return g_bytes_new_with_free_func(mapped->info.data, MIN(bytes, mapped->info.size), unmap,
                                    mapped);
}
