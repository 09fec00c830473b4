// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/// The type of a tensor's elements.
typedef enum {
  GST_TANDEM_ELEMENT_TYPE_UINT8,
  GST_TANDEM_ELEMENT_TYPE_INT32,
  GST_TANDEM_ELEMENT_TYPE_FLOAT32,
} GstTandemElementType;

#define GST_TANDEM_TENSOR_MAX_DIMENSIONS 4

/// What a stage computed for a frame, travelling on the frame. The memory is dense, row-major, the
/// last dimension contiguous; it maps with gst_memory_map wherever it was computed.
typedef struct {
  GstMeta meta;
  const gchar* name;  ///< interned (g_intern_string), as "vivid-histogram"
  GstTandemElementType element_type;
  guint dimensions;
  gsize shape[GST_TANDEM_TENSOR_MAX_DIMENSIONS];  ///< elements, outermost first
  GstMemory* memory;
} GstTandemTensorMeta;

GType gst_tandem_tensor_meta_api_get_type(void);
const GstMetaInfo* gst_tandem_tensor_meta_get_info(void);

/// Adds a tensor to a writable buffer. Interns `name`; takes over `memory`.
GstTandemTensorMeta* gst_buffer_add_tandem_tensor_meta(GstBuffer* buffer, const gchar* name,
                                                       GstTandemElementType element_type,
                                                       guint dimensions, const gsize* shape,
                                                       GstMemory* memory);

/// The tensor of that name on the buffer, the one added last; null when there is none.
GstTandemTensorMeta* gst_buffer_get_tandem_tensor_meta(GstBuffer* buffer, const gchar* name);

G_END_DECLS
