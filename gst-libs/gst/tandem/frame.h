/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_FRAME_H
#define GST_TANDEM_FRAME_H

#include <gst/tandem/prelude.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * GstTandemFrame:
 *
 * One frame at one stage. Valid inside the function that received it.
 */
typedef struct _GstTandemFrame GstTandemFrame;

/**
 * gst_tandem_frame_get_settings:
 * @frame: a frame
 *
 * Returns: (transfer none): the stage's properties for this frame, by name
 */
GST_TANDEM_API
const GstStructure* gst_tandem_frame_get_settings(const GstTandemFrame* frame);

/**
 * gst_tandem_frame_get_data: (skip)
 * @frame: a frame
 *
 * Returns: the argument of gst_tandem_work_set_data()
 */
GST_TANDEM_API
gpointer gst_tandem_frame_get_data(const GstTandemFrame* frame);

/**
 * gst_tandem_frame_get_video: (skip)
 * @frame: a frame
 *
 * Returns: the visible pixels (#GstVideoCropMeta), mapped for reading, and for writing if the
 *   stage changes them
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
 * Returns: (nullable): luma of the previous frame, for a stage that needs it; %NULL: no previous
 *   frame
 */
GST_TANDEM_API
const guint8* gst_tandem_frame_get_previous_luma(const GstTandemFrame* frame, gsize* stride);

/**
 * gst_tandem_frame_get_input: (skip)
 * @frame: a frame
 * @input: its index, from 0
 *
 * Returns: (nullable): the elements of a tensor that the stage reads. %NULL inside `enqueue`, and
 *   when the device that has them failed
 */
GST_TANDEM_API
gconstpointer gst_tandem_frame_get_input(GstTandemFrame* frame, guint input);

/**
 * gst_tandem_frame_get_output: (skip)
 * @frame: a frame
 * @output: its index, from 0
 *
 * `prepare`, `compute` and `combine` write them. `collect` and `publish` read them, after a
 * download if a device computed them. `join` reads and writes them.
 *
 * Returns: (nullable): the elements of a tensor that the stage makes. %NULL inside `enqueue` and
 *   `fits`, and when the device that has them failed
 */
GST_TANDEM_API
gpointer gst_tandem_frame_get_output(GstTandemFrame* frame, guint output);

/**
 * gst_tandem_frame_get_output_memory: (skip)
 * @frame: a frame
 * @output: its index, from 0
 *
 * A reference keeps the elements beyond the frame, at the address of gst_memory_map(). Inside
 * `publish`.
 *
 * Returns: (transfer none) (nullable): the memory of a tensor that the stage makes
 */
GST_TANDEM_API
GstMemory* gst_tandem_frame_get_output_memory(GstTandemFrame* frame, guint output);

/**
 * gst_tandem_frame_get_device_input: (skip)
 * @frame: a frame
 * @input: its index, from 0
 *
 * Returns: (nullable): the `cl_mem` of a tensor that the stage reads, inside `enqueue`; %NULL when
 *   the device failed, after which `enqueue` returns %FALSE
 */
GST_TANDEM_API
gpointer gst_tandem_frame_get_device_input(GstTandemFrame* frame, guint input);

/**
 * gst_tandem_frame_get_device_output: (skip)
 * @frame: a frame
 * @output: its index, from 0
 *
 * Returns: (nullable): the `cl_mem` of a tensor that the stage makes, inside `enqueue`; %NULL when
 *   the device failed, after which `enqueue` returns %FALSE. Get the inputs first.
 */
GST_TANDEM_API
gpointer gst_tandem_frame_get_device_output(GstTandemFrame* frame, guint output);

/**
 * gst_tandem_frame_get_device_memory: (skip)
 * @frame: a frame
 * @memory: the result of gst_tandem_frame_get_output_memory() for an earlier frame
 *
 * Returns: (nullable): the `cl_mem` of the memory for reading, inside `enqueue`; %NULL when the
 *   device failed, after which `enqueue` returns %FALSE
 */
GST_TANDEM_API
gpointer gst_tandem_frame_get_device_memory(GstTandemFrame* frame, GstMemory* memory);

/**
 * gst_tandem_frame_get_device: (skip)
 * @frame: a frame
 *
 * Returns: inside `enqueue`: the index of its device, of gst_tandem_work_get_devices()
 */
GST_TANDEM_API
guint gst_tandem_frame_get_device(const GstTandemFrame* frame);

/**
 * gst_tandem_frame_get_first_row: (skip)
 * @frame: a frame
 *
 * For a class of gst_tandem_description_set_bands(). If a device computes a frame in bands, a band
 * enqueues the rows from this one to the one before `end_row`. Earlier bands have enqueued the rows
 * before. gst_tandem_frame_upload() and gst_tandem_frame_download() then copy only the rows that
 * earlier bands did not copy, while kernels run.
 *
 * Returns: inside `enqueue_rows`: the first row to enqueue, 0 unless the frame is computed in bands
 */
GST_TANDEM_API
gint gst_tandem_frame_get_first_row(const GstTandemFrame* frame);

/**
 * gst_tandem_frame_upload: (skip)
 * @frame: a frame
 * @output: scratch of gst_tandem_work_add_scratch()
 * @data: host memory that does not change until the device has computed the frame: luma of this or
 *   the previous frame, or memory of the work
 * @row_bytes: bytes of a row
 * @rows: number of rows
 * @stride: bytes from one row to the next
 *
 * Enqueues the upload of rows, which lie packed on the device. Inside `enqueue`.
 *
 * Returns: (nullable): the `cl_mem` of the scratch; %NULL when the device failed, after which
 *   `enqueue` returns %FALSE
 */
GST_TANDEM_API
gpointer gst_tandem_frame_upload(GstTandemFrame* frame, guint output, gconstpointer data,
                                 gsize row_bytes, gint rows, gsize stride);

/**
 * gst_tandem_frame_download: (skip)
 * @frame: a frame
 * @output: its index, from 0
 *
 * Enqueues the copy of an output to the host, so that `collect` or `publish` do not wait for it,
 * and have it even if the device fails later. Inside `enqueue`, after the commands that make it.
 *
 * Returns: %FALSE when the device failed, after which `enqueue` returns %FALSE
 */
GST_TANDEM_API
gboolean gst_tandem_frame_download(GstTandemFrame* frame, guint output);

/**
 * gst_tandem_frame_download_luma: (skip)
 * @frame: a frame
 * @output: its index, from 0: rows of 8-bit luma as wide as the frame, one after the other
 *
 * Enqueues the download that gst_tandem_frame_take_luma() needs in `collect`: none if the luma is
 * then read directly from the device. Inside `enqueue`, after the commands that make the output.
 *
 * Returns: %FALSE when the device failed, after which `enqueue` returns %FALSE
 */
GST_TANDEM_API
gboolean gst_tandem_frame_download_luma(GstTandemFrame* frame, guint output);

/**
 * gst_tandem_frame_take_luma: (skip)
 * @frame: a frame
 * @output: as for gst_tandem_frame_download_luma()
 *
 * Copies an output of the device into the luma of the frame: directly from the device if the frame
 * is large and in page-locked memory. Inside `collect`, for a stage of
 * gst_tandem_description_set_changes_pixels().
 *
 * Returns: %FALSE when the device failed
 */
GST_TANDEM_API
gboolean gst_tandem_frame_take_luma(GstTandemFrame* frame, guint output);

/**
 * gst_tandem_frame_keep_pace: (skip)
 * @frame: a frame
 *
 * For `enqueue` of long commands, after each of them: tandembin then ends within a piece of a frame
 * when it is stopped or flushed. It may wait for the device to that end.
 *
 * Returns: %FALSE when the frame was aborted or the device failed, after which `enqueue`
 *   returns %FALSE
 */
GST_TANDEM_API
gboolean gst_tandem_frame_keep_pace(GstTandemFrame* frame);

/**
 * gst_tandem_frame_fail: (skip)
 * @frame: a frame
 * @why: message to the user: what is wrong and what to do
 *
 * The frame cannot be computed, on either side: the stream ends with this error. Not inside
 * `compute`, which leaves it to `combine`.
 */
GST_TANDEM_API
void gst_tandem_frame_fail(GstTandemFrame* frame, const gchar* why);

/**
 * gst_tandem_frame_is_stopped:
 * @frame: a frame
 *
 * Returns: whether the CPU's result is no longer needed: `compute` may return
 */
GST_TANDEM_API
gboolean gst_tandem_frame_is_stopped(const GstTandemFrame* frame);

G_END_DECLS

#endif
