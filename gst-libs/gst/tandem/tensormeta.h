/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_TENSOR_META_H
#define GST_TANDEM_TENSOR_META_H

#include <gst/tandem/prelude.h>

G_BEGIN_DECLS

/**
 * GstTandemElementType:
 * @GST_TANDEM_ELEMENT_TYPE_UINT8: bytes
 * @GST_TANDEM_ELEMENT_TYPE_INT32: signed integers of 4 bytes
 * @GST_TANDEM_ELEMENT_TYPE_FLOAT32: floating-point numbers of 4 bytes
 * @GST_TANDEM_ELEMENT_TYPE_FLOAT16: floating-point numbers of 2 bytes (IEEE 754 binary16)
 *
 * The type of a tensor's elements, in the byte order of the machine.
 */
typedef enum {
  GST_TANDEM_ELEMENT_TYPE_UINT8,
  GST_TANDEM_ELEMENT_TYPE_INT32,
  GST_TANDEM_ELEMENT_TYPE_FLOAT32,
  GST_TANDEM_ELEMENT_TYPE_FLOAT16,
} GstTandemElementType;

#define GST_TANDEM_TENSOR_MAX_DIMENSIONS 4

typedef struct _GstTandemTensorMeta GstTandemTensorMeta;

/**
 * GstTandemTensorMeta:
 * @meta: the parent
 * @name: interned (g_intern_string()), as "vivid-histogram"
 * @element_type: of each element
 * @dimensions: their number, at most %GST_TANDEM_TENSOR_MAX_DIMENSIONS
 * @shape: elements of each dimension, outermost first
 * @memory: the elements, dense, row-major, the last dimension contiguous; it maps with
 *   gst_memory_map() wherever it was computed
 *
 * A tensor that a stage computed for a frame; it travels on the frame.
 */
struct _GstTandemTensorMeta {
  GstMeta meta;
  const gchar* name;
  GstTandemElementType element_type;
  guint dimensions;
  gsize shape[GST_TANDEM_TENSOR_MAX_DIMENSIONS];
  GstMemory* memory;
};

GST_TANDEM_API
GType gst_tandem_tensor_meta_api_get_type(void);

/**
 * gst_tandem_tensor_meta_get_info: (skip)
 */
GST_TANDEM_API
const GstMetaInfo* gst_tandem_tensor_meta_get_info(void);

/**
 * gst_buffer_add_tandem_tensor_meta:
 * @buffer: a writable buffer
 * @name: its name, which is interned
 * @element_type: of each element
 * @dimensions: their number
 * @shape: (array length=dimensions): elements of each dimension, outermost first
 * @memory: (transfer full): the elements
 *
 * Adds a tensor to a frame.
 *
 * Returns: (transfer none) (nullable): the tensor, which belongs to the buffer
 */
GST_TANDEM_API
GstTandemTensorMeta* gst_buffer_add_tandem_tensor_meta(GstBuffer* buffer, const gchar* name,
                                                       GstTandemElementType element_type,
                                                       guint dimensions, const gsize* shape,
                                                       GstMemory* memory);

/**
 * gst_buffer_get_tandem_tensor_meta:
 * @buffer: a buffer
 * @name: of the tensor
 *
 * Returns: (transfer none) (nullable): the tensor of that name, the one added last; %NULL when
 *   there is none
 */
GST_TANDEM_API
GstTandemTensorMeta* gst_buffer_get_tandem_tensor_meta(GstBuffer* buffer, const gchar* name);

/**
 * gst_buffer_get_tandem_tensor_names:
 * @buffer: a buffer
 *
 * Returns: (transfer full) (array zero-terminated=1): the names of the tensors on the frame, in the
 *   order in which they were added, each once; free with g_strfreev()
 */
GST_TANDEM_API
gchar** gst_buffer_get_tandem_tensor_names(GstBuffer* buffer);

/**
 * gst_tandem_tensor_meta_get_shape:
 * @tensor: a tensor
 * @dimensions: (out): their number
 *
 * Returns: (transfer none) (array length=dimensions): elements of each dimension, outermost first
 */
GST_TANDEM_API
const gsize* gst_tandem_tensor_meta_get_shape(const GstTandemTensorMeta* tensor, guint* dimensions);

/**
 * gst_tandem_tensor_meta_get_bytes:
 * @tensor: a tensor
 *
 * The elements, constant and at a constant address as long as the bytes are valid, also after the
 * buffer is freed. Waits for the device that computed them.
 *
 * Returns: (transfer full) (nullable): the elements; %NULL when the memory cannot be mapped
 */
GST_TANDEM_API
GBytes* gst_tandem_tensor_meta_get_bytes(const GstTandemTensorMeta* tensor);

G_END_DECLS

#endif
