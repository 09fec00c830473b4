/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_DESCRIPTION_H
#define GST_TANDEM_DESCRIPTION_H

#include <gst/tandem/prelude.h>

G_BEGIN_DECLS

/**
 * GstTandemDescription:
 *
 * Properties of a stage that are constant from its first frame to its last. Valid inside
 * #GstTandemStageClass.describe.
 * A stage has a CPU side when its class has `compute`, and a device side when its class has
 * `enqueue` or when gst_tandem_description_set_kernel() is called.
 */
typedef struct _GstTandemDescription GstTandemDescription;

/**
 * gst_tandem_description_add_input:
 * @description: a description
 * @tensor: the name of a tensor that the stage reads
 * @producer: the element that makes it, for the message when it is missing
 *
 * At most 8. The first is input 0.
 */
GST_TANDEM_API
void gst_tandem_description_add_input(GstTandemDescription* description, const gchar* tensor,
                                      const gchar* producer);

/**
 * gst_tandem_description_set_kernel:
 * @description: a description
 * @source: OpenCL C 1.2
 * @name: of the kernel in it
 *
 * The device side is this kernel. Its arguments, in this order: `__global const uchar *luma, int
 * width, int height` (rows packed) if the stage reads luma; a `__global const` pointer for each
 * input; a `__global` pointer for each output; those of gst_tandem_work_add_int() and
 * gst_tandem_work_add_float(). It is one-dimensional, with the number of work-items of
 * gst_tandem_work_set_items(), rounded up to whole groups: a work-item with a larger
 * get_global_id(0) returns.
 */
GST_TANDEM_API
void gst_tandem_description_set_kernel(GstTandemDescription* description, const gchar* source,
                                       const gchar* name);

/**
 * gst_tandem_description_set_reads_luma:
 * @description: a description
 * @reads_luma: whether the kernel receives the frame's luma; default: %FALSE
 */
GST_TANDEM_API
void gst_tandem_description_set_reads_luma(GstTandemDescription* description, gboolean reads_luma);

/**
 * gst_tandem_description_set_serial:
 * @description: a description
 * @serial: whether the stage keeps state: frames pass it one at a time, in the order of the stream
 */
GST_TANDEM_API
void gst_tandem_description_set_serial(GstTandemDescription* description, gboolean serial);

/**
 * gst_tandem_description_set_changes_pixels:
 * @description: a description
 * @changes_pixels: whether the stage writes into the frame
 */
GST_TANDEM_API
void gst_tandem_description_set_changes_pixels(GstTandemDescription* description,
                                               gboolean changes_pixels);

/**
 * gst_tandem_description_set_needs_previous:
 * @description: a description
 * @needs_previous: whether the stage reads gst_tandem_frame_get_previous_luma()
 */
GST_TANDEM_API
void gst_tandem_description_set_needs_previous(GstTandemDescription* description,
                                               gboolean needs_previous);

/**
 * gst_tandem_description_set_repeats_from:
 * @description: a description
 * @element: (nullable): the name of the element with which a part of the chain begins that frames
 *   pass #GstTandemStageClass.get_rounds times inside tandembin, and that ends with this stage
 */
GST_TANDEM_API
void gst_tandem_description_set_repeats_from(GstTandemDescription* description,
                                             const gchar* element);

/**
 * gst_tandem_description_set_has_cpu:
 * @description: a description
 * @has_cpu: whether the CPU can compute it with its current properties; otherwise its frames wait
 *   for an OpenCL device
 */
GST_TANDEM_API
void gst_tandem_description_set_has_cpu(GstTandemDescription* description, gboolean has_cpu);

/**
 * gst_tandem_description_set_has_device:
 * @description: a description
 * @has_device: whether a device can compute it with its current properties
 */
GST_TANDEM_API
void gst_tandem_description_set_has_device(GstTandemDescription* description, gboolean has_device);

/**
 * gst_tandem_description_set_whole:
 * @description: a description
 * @why: (nullable): the reason why a frame cannot be split between device and cores, for a message
 *   to the user; %NULL: it can. Default: it can if the class has `enqueue_rows`
 */
GST_TANDEM_API
void gst_tandem_description_set_whole(GstTandemDescription* description, const gchar* why);

/**
 * gst_tandem_description_set_joins:
 * @description: a description
 * @joins: whether outputs of a split frame are complete only after #GstTandemStageClass.join, such
 *   as a sum over all rows; default: %FALSE
 */
GST_TANDEM_API
void gst_tandem_description_set_joins(GstTandemDescription* description, gboolean joins);

/**
 * gst_tandem_description_set_bands:
 * @description: a description
 * @bands: whether a device can compute frames in bands, from the first rows to the last ones: then
 *   #GstTandemStageClass.enqueue_rows begins with gst_tandem_frame_get_first_row(); default: %FALSE
 */
GST_TANDEM_API
void gst_tandem_description_set_bands(GstTandemDescription* description, gboolean bands);

G_END_DECLS

#endif
