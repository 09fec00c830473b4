/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_FRAME_H
#define GST_TANDEM_FRAME_H

#include <gst/tandem/prelude.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * GstTandemFrame:
 *
 * One frame at one stage. Valid inside the function that got it.
 */
typedef struct _GstTandemFrame GstTandemFrame;

/**
 * gst_tandem_frame_get_settings:
 * @frame: a frame
 *
 * Returns: (transfer none): the properties of the stage that hold for the frame, by name
 */
GST_TANDEM_API
const GstStructure* gst_tandem_frame_get_settings(const GstTandemFrame* frame);

/**
 * gst_tandem_frame_get_data: (skip)
 * @frame: a frame
 *
 * Returns: what gst_tandem_work_set_data() was called with
 */
GST_TANDEM_API
gpointer gst_tandem_frame_get_data(const GstTandemFrame* frame);

/**
 * gst_tandem_frame_get_video: (skip)
 * @frame: a frame
 *
 * Returns: the pixels, mapped for reading, and for writing if the stage changes them
 */
GST_TANDEM_API
const GstVideoFrame* gst_tandem_frame_get_video(const GstTandemFrame* frame);

/**
 * gst_tandem_frame_get_luma: (skip)
 * @frame: a frame
 * @stride: (out): bytes from one row to the next
 *
 * Returns: the first plane
 */
GST_TANDEM_API
guint8* gst_tandem_frame_get_luma(const GstTandemFrame* frame, gsize* stride);

/**
 * gst_tandem_frame_get_previous_luma: (skip)
 * @frame: a frame
 * @stride: (out): bytes from one row to the next
 *
 * Returns: (nullable): luma of the frame before, for a stage that needs it; %NULL: this is the first
 */
GST_TANDEM_API
const guint8* gst_tandem_frame_get_previous_luma(const GstTandemFrame* frame, gsize* stride);

/**
 * gst_tandem_frame_get_input: (skip)
 * @frame: a frame
 * @input: which, from 0 on
 *
 * Returns: the elements of a tensor that the stage reads, while the CPU computes
 */
GST_TANDEM_API
gconstpointer gst_tandem_frame_get_input(const GstTandemFrame* frame, guint input);

/**
 * gst_tandem_frame_get_output: (skip)
 * @frame: a frame
 * @output: which, from 0 on
 *
 * Returns: the elements of a tensor that the stage makes, while the CPU computes
 */
GST_TANDEM_API
gpointer gst_tandem_frame_get_output(const GstTandemFrame* frame, guint output);

/**
 * gst_tandem_frame_get_device_input: (skip)
 * @frame: a frame
 * @input: which, from 0 on
 *
 * Returns: (nullable): the `cl_mem` of a tensor that the stage reads, inside `enqueue`; %NULL when
 *   the device failed, after which `enqueue` returns %FALSE
 */
GST_TANDEM_API
gpointer gst_tandem_frame_get_device_input(GstTandemFrame* frame, guint input);

/**
 * gst_tandem_frame_get_device_output: (skip)
 * @frame: a frame
 * @output: which, from 0 on
 *
 * Returns: (nullable): the `cl_mem` of a tensor that the stage makes, inside `enqueue`; %NULL when
 *   the device failed, after which `enqueue` returns %FALSE. Ask for the inputs first.
 */
GST_TANDEM_API
gpointer gst_tandem_frame_get_device_output(GstTandemFrame* frame, guint output);

/**
 * gst_tandem_frame_is_stopped:
 * @frame: a frame
 *
 * Returns: whether what the CPU computes of it is of no use any more: `compute` may return
 */
GST_TANDEM_API
gboolean gst_tandem_frame_is_stopped(const GstTandemFrame* frame);

G_END_DECLS

#endif
