// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/// Something that was followed from the frame before to this one.
typedef struct {
  gfloat x, y;    ///< where it is in this frame, pixels
  gfloat dx, dy;  ///< how far it moved since the frame before
  guint32 id;     ///< of its track; from 1 on, never used again
  guint32 age;    ///< frames that it has been followed for, from 1 on
} GstTandemMotionVector;

/// How a frame's features have moved.
typedef struct {
  GstMeta meta;
  guint count;
  const GstTandemMotionVector* vectors;  ///< `count` of them, in `memory`
  GstMemory* memory;
} GstTandemMotionMeta;

GType gst_tandem_motion_meta_api_get_type(void);
const GstMetaInfo* gst_tandem_motion_meta_get_info(void);

/// Adds vectors to a writable buffer: the first `count` at `vectors`, which lie in `memory` and
/// stay where they are as long as it lives. Takes over `memory`.
GstTandemMotionMeta* gst_buffer_add_tandem_motion_meta(GstBuffer* buffer,
                                                       const GstTandemMotionVector* vectors,
                                                       guint count, GstMemory* memory);

/// The frame's vectors; null when there are none.
GstTandemMotionMeta* gst_buffer_get_tandem_motion_meta(GstBuffer* buffer);

G_END_DECLS
