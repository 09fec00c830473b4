/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_WORK_H
#define GST_TANDEM_WORK_H

#include <gst/tandem/tensormeta.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * GstTandemWork:
 *
 * The computation of a stage for frames of one size and tensors of one shape, with the properties
 * of one moment. #GstTandemStageClass.make_work fills it in. It is constant from then on: several
 * threads compute with it at the same time.
 */
typedef struct _GstTandemWork GstTandemWork;

/**
 * gst_tandem_work_get_video_info:
 * @work: the work being made
 *
 * Returns: (transfer none): the format and size of the frames that it is made for
 */
GST_TANDEM_API
const GstVideoInfo* gst_tandem_work_get_video_info(const GstTandemWork* work);

/**
 * gst_tandem_work_get_input_type:
 * @work: the work being made
 * @input: its index, from 0
 *
 * Returns: the type of the elements of a tensor that the stage reads
 */
GST_TANDEM_API
GstTandemElementType gst_tandem_work_get_input_type(const GstTandemWork* work, guint input);

/**
 * gst_tandem_work_get_input_shape:
 * @work: the work being made
 * @input: its index, from 0
 * @dimensions: (out): their number
 *
 * Returns: (transfer none) (array length=dimensions): the shape of a tensor that the stage reads
 */
GST_TANDEM_API
const gsize* gst_tandem_work_get_input_shape(const GstTandemWork* work, guint input,
                                             guint* dimensions);

/**
 * gst_tandem_work_add_output:
 * @work: the work being made
 * @name: of the tensor
 * @element_type: of each element
 * @dimensions: their number
 * @shape: (array length=dimensions): elements of each dimension, outermost first
 *
 * A tensor that the stage makes for each frame. At most 8 with scratch, 7 if the kernel of
 * gst_tandem_description_set_kernel() reads luma. The first is output 0.
 */
GST_TANDEM_API
void gst_tandem_work_add_output(GstTandemWork* work, const gchar* name,
                                GstTandemElementType element_type, guint dimensions,
                                const gsize* shape);

/**
 * gst_tandem_work_add_scratch: (skip)
 * @work: the work being made
 * @bytes: its size; 0 if it is not needed, as on a machine without a device
 *
 * An output for the stage alone, on either side: it is never on the frame.
 */
GST_TANDEM_API
void gst_tandem_work_add_scratch(GstTandemWork* work, gsize bytes);

/**
 * gst_tandem_work_get_input: (skip)
 * @work: the work being made
 * @input: its index, from 0
 *
 * The elements of a tensor of the first frame, for a stage whose outputs depend on them: see
 * #GstTandemStageClass.fits.
 *
 * Returns: (nullable): the elements; %NULL when the device that has them failed, after which
 *   `make_work` returns %FALSE
 */
GST_TANDEM_API
gconstpointer gst_tandem_work_get_input(GstTandemWork* work, guint input);

/**
 * gst_tandem_work_get_devices: (skip)
 * @work: the work being made
 *
 * Returns: the number of OpenCL devices of the work, all of one kind; 0: the CPU alone
 */
GST_TANDEM_API
guint gst_tandem_work_get_devices(const GstTandemWork* work);

/**
 * gst_tandem_work_get_cl_context: (skip)
 * @work: the work being made
 * @device: its index, from 0
 *
 * Returns: the device's `cl_context`, which lives as long as the work
 */
GST_TANDEM_API
gpointer gst_tandem_work_get_cl_context(const GstTandemWork* work, guint device);

/**
 * gst_tandem_work_get_cl_device: (skip)
 * @work: the work being made
 * @device: its index, from 0
 *
 * Returns: its `cl_device_id`
 */
GST_TANDEM_API
gpointer gst_tandem_work_get_cl_device(const GstTandemWork* work, guint device);

/**
 * gst_tandem_work_build_program: (skip)
 * @work: the work being made
 * @device: its index, from 0
 * @source: OpenCL C 1.2
 * @options: (nullable): for the compiler, such as "-DRADIUS=3"
 * @error: has the compiler's messages; its domain is %GST_TANDEM_DEVICE_ERROR
 *
 * Builds a program, or loads it from the cache of the process or of the disk.
 *
 * Returns: (nullable): a `cl_program`, to be released with clReleaseProgram(); %NULL and an error
 *   that `make_work` may pass on
 */
GST_TANDEM_API
gpointer gst_tandem_work_build_program(GstTandemWork* work, guint device, const gchar* source,
                                       const gchar* options, GError** error);

/**
 * gst_tandem_work_set_rows:
 * @work: the work being made
 * @rows: number of rows into which #GstTandemStageClass.compute can be split; default: 1
 */
GST_TANDEM_API
void gst_tandem_work_set_rows(GstTandemWork* work, gint rows);

/**
 * gst_tandem_work_set_planes:
 * @work: the work being made
 * @output: its index, from 0
 * @planes: number of its equal parts, in each of which the rows lie one after the other; 0: it has
 *   no rows; default: 1, and 0 of scratch
 *
 * For frames that are split: see #GstTandemStageClass.enqueue_rows.
 */
GST_TANDEM_API
void gst_tandem_work_set_planes(GstTandemWork* work, guint output, guint planes);

/**
 * gst_tandem_work_set_items:
 * @work: the work being made
 * @items: work-items of the kernel; default: 1
 */
GST_TANDEM_API
void gst_tandem_work_set_items(GstTandemWork* work, gsize items);

/**
 * gst_tandem_work_add_int:
 * @work: the work being made
 * @value: the kernel's next `int` argument; at most 16 with those of the type `float`
 */
GST_TANDEM_API
void gst_tandem_work_add_int(GstTandemWork* work, gint value);

/**
 * gst_tandem_work_add_float:
 * @work: the work being made
 * @value: the kernel's next `float` argument; at most 16 with those of the type `int`
 */
GST_TANDEM_API
void gst_tandem_work_add_float(GstTandemWork* work, gfloat value);

/**
 * gst_tandem_work_set_data: (skip)
 * @work: the work being made
 * @data: of the stage, for gst_tandem_frame_get_data()
 * @destroy: (nullable): called with it when the work is no longer needed
 */
GST_TANDEM_API
void gst_tandem_work_set_data(GstTandemWork* work, gpointer data, GDestroyNotify destroy);

/**
 * gst_tandem_work_set_notice:
 * @work: the work being made
 * @notice: text for the user, posted as a warning once
 */
GST_TANDEM_API
void gst_tandem_work_set_notice(GstTandemWork* work, const gchar* notice);

G_END_DECLS

#endif
