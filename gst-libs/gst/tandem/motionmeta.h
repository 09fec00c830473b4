/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_MOTION_META_H
#define GST_TANDEM_MOTION_META_H

#include <gst/tandem/prelude.h>

G_BEGIN_DECLS

typedef struct _GstTandemMotionVector GstTandemMotionVector;
typedef struct _GstTandemMotionMeta GstTandemMotionMeta;

/**
 * GstTandemMotionVector:
 * @x: position in this frame, pixels from the left
 * @y: pixels from the top
 * @dx: motion since the previous frame, pixels
 * @dy: likewise, downwards
 * @id: number of its track, from 1, never reused
 * @age: length of its track in frames, from 1
 *
 * A feature that was found in the previous frame and in this one.
 */
struct _GstTandemMotionVector {
  gfloat x, y;
  gfloat dx, dy;
  guint32 id;
  guint32 age;
};

/**
 * GstTandemMotionMeta:
 * @meta: the parent
 * @count: number of vectors
 * @vectors: (array length=count): the vectors, in @memory
 * @memory: the memory of the vectors
 *
 * Motion of a frame's features.
 */
struct _GstTandemMotionMeta {
  GstMeta meta;
  guint count;
  const GstTandemMotionVector* vectors;
  GstMemory* memory;
};

GST_TANDEM_API
GType gst_tandem_motion_meta_api_get_type(void);

/**
 * gst_tandem_motion_meta_get_info: (skip)
 */
GST_TANDEM_API
const GstMetaInfo* gst_tandem_motion_meta_get_info(void);

/**
 * gst_buffer_add_tandem_motion_meta: (skip)
 * @buffer: a writable buffer
 * @vectors: vectors in @memory, at a constant address during its lifetime
 * @count: number of vectors
 * @memory: (transfer full): the memory of the vectors
 *
 * Returns: (transfer none) (nullable): the vectors, which belong to the buffer
 */
GST_TANDEM_API
GstTandemMotionMeta* gst_buffer_add_tandem_motion_meta(GstBuffer* buffer,
                                                       const GstTandemMotionVector* vectors,
                                                       guint count, GstMemory* memory);

/**
 * gst_buffer_get_tandem_motion_meta:
 * @buffer: a buffer
 *
 * Returns: (transfer none) (nullable): the frame's vectors; %NULL when there are none
 */
GST_TANDEM_API
GstTandemMotionMeta* gst_buffer_get_tandem_motion_meta(GstBuffer* buffer);

/**
 * gst_tandem_motion_meta_get_bytes:
 * @motion: vectors of a frame
 *
 * The vectors as bytes, 24 each in the order of #GstTandemMotionVector: four floats of 4 bytes, two
 * unsigned integers of 4 bytes. They are valid as long as the bytes.
 *
 * Returns: (transfer full): the vectors
 */
GST_TANDEM_API
GBytes* gst_tandem_motion_meta_get_bytes(const GstTandemMotionMeta* motion);

G_END_DECLS

#endif
