/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_STAGE_H
#define GST_TANDEM_STAGE_H

#include <gst/base/gstbasetransform.h>
#include <gst/tandem/description.h>
#include <gst/tandem/frame.h>
#include <gst/tandem/work.h>

G_BEGIN_DECLS

#define GST_TYPE_TANDEM_STAGE (gst_tandem_stage_get_type())
#define GST_TANDEM_STAGE(object) \
  (G_TYPE_CHECK_INSTANCE_CAST((object), GST_TYPE_TANDEM_STAGE, GstTandemStage))
#define GST_IS_TANDEM_STAGE(object) (G_TYPE_CHECK_INSTANCE_TYPE((object), GST_TYPE_TANDEM_STAGE))
#define GST_TANDEM_STAGE_CLASS(klass) \
  (G_TYPE_CHECK_CLASS_CAST((klass), GST_TYPE_TANDEM_STAGE, GstTandemStageClass))
#define GST_TANDEM_STAGE_GET_CLASS(object) \
  (G_TYPE_INSTANCE_GET_CLASS((object), GST_TYPE_TANDEM_STAGE, GstTandemStageClass))

/**
 * GST_TANDEM_LUMA_CAPS:
 *
 * The 8-bit formats whose first plane is luma: it is read in place. The pads of every stage have
 * them.
 */
#define GST_TANDEM_LUMA_CAPS \
  GST_VIDEO_CAPS_MAKE("{ GRAY8, I420, YV12, NV12, NV21, Y41B, Y42B, Y444, NV16, NV61, NV24 }")

/**
 * GST_TANDEM_PARAM_KEEPS_WORK:
 *
 * A flag for #GParamSpec: the property has no influence on the time of a frame, so that tandembin
 * does not measure again when it changes.
 */
#define GST_TANDEM_PARAM_KEEPS_WORK (1 << (G_PARAM_USER_SHIFT + 8))

typedef struct _GstTandemStage GstTandemStage;
typedef struct _GstTandemStageClass GstTandemStageClass;
typedef struct _GstTandemStagePrivate GstTandemStagePrivate;

/**
 * GstTandemStage:
 *
 * Base of every stage element. Alone in a pipeline it computes frame by frame on the device that
 * its `device` property names; inside tandembin the bin decides where each of its frames is
 * computed. The base class reads the readable properties of the subclass between two frames, and,
 * if it is a #GstChildProxy, those of its children. Such a child is a #GstObject whose parent is
 * the stage. Names of properties are unique among the stage and its children.
 */
struct _GstTandemStage {
  GstBaseTransform parent;

  /*< private >*/
  GstTandemStagePrivate* priv;
  gpointer _gst_reserved[GST_PADDING];
};

/**
 * GstTandemStageClass:
 * @parent_class: the parent
 * @describe: declares inputs, sides and other constants for these settings; %NULL: no inputs, and
 *   the sides that the class has
 * @get_rounds: number of passes of a frame through the part of the chain that ends with this stage,
 *   at least 1; %NULL: 1
 * @make_work: fills in the work for frames of one size. Returns %FALSE with an error that tells the
 *   user what to do if there is none. Called from the thread that has the first such frame
 * @compute: the CPU side, rows [@first_row, @end_row). For disjoint bands of a frame on several
 *   threads at a time. Must not fail
 * @combine: once, after `compute` of all rows; may be %NULL
 * @enqueue: the device side, where it is no single kernel: enqueues all of it on @queue, a
 *   `cl_command_queue`, and does not wait. On several threads at a time, each with its own queue
 * @publish: adds results other than tensors to the buffer, after either side; may be %NULL
 * @add_settings: adds dependencies of the work other than readable properties, such as a checksum
 *   of the file that a property names; may be %NULL
 * @fits: whether the work can be used for a frame whose tensors have the right types and shapes.
 *   For a stage whose outputs depend on values that it reads. If not, new work is made. Called for
 *   each frame, with inputs and no outputs; may be %NULL
 * @prepare: before either side: writes the outputs, or parts of them, that do not depend on where
 *   the frame is computed; may be %NULL
 * @collect: after the device side is done: writes outputs into the frame's pixels, which do not
 *   change before; may be %NULL
 * @enqueue_rows: the device side of the rows before @end_row, those of `compute`, for a frame of
 *   which the cores compute the others at that time. A class that has it needs no `enqueue`
 * @needs: which rows [@first_row, @end_row) of the stage that makes an input such rows of this one
 *   are computed from, on either side; %NULL: the same rows. @data is that of
 *   gst_tandem_work_set_data(). Not called for inputs without rows
 * @get_row_begin: the byte at which a row begins in each plane of an output, and their end for the
 *   row after the last; %NULL: rows are equally long
 * @join: called once both sides of a split frame are done, instead of `combine` and `collect`. The
 *   device has computed the rows before @device_end, the cores those from @cores_begin on. Both
 *   have computed the rows in between; may be %NULL
 * @restart: forgets the state that the stage keeps from frame to frame, because the next frame does
 *   not follow the one before. Reasons are another stream, a flush, and caps that differ in more
 *   than the rate. Another is a segment in which running time or stream time is not continuous.
 *   Called before the first frame too, and possibly several times between two frames. No frame is
 *   in flight in the stage. A stage with such a state is serial; %NULL: there is none
 *
 * None of these is called with a lock held. Other frames and other settings may be in flight at the
 * same time. Their data is in the frame and its work, not in the stage. The state of a serial stage
 * is the exception; `restart` ends it.
 */
struct _GstTandemStageClass {
  GstBaseTransformClass parent_class;

  /*< public >*/
  void (*describe)(GstTandemStage* stage, const GstStructure* settings,
                   GstTandemDescription* description);
  gint (*get_rounds)(GstTandemStage* stage, const GstStructure* settings);
  gboolean (*make_work)(GstTandemStage* stage, const GstStructure* settings, GstTandemWork* work,
                        GError** error);
  void (*compute)(GstTandemStage* stage, GstTandemFrame* frame, gint first_row, gint end_row);
  void (*combine)(GstTandemStage* stage, GstTandemFrame* frame);
  gboolean (*enqueue)(GstTandemStage* stage, GstTandemFrame* frame, gpointer queue, GError** error);
  void (*publish)(GstTandemStage* stage, GstTandemFrame* frame, GstBuffer* buffer);

  void (*add_settings)(GstTandemStage* stage, GstStructure* settings);
  gboolean (*fits)(GstTandemStage* stage, GstTandemFrame* frame);
  void (*prepare)(GstTandemStage* stage, GstTandemFrame* frame);
  void (*collect)(GstTandemStage* stage, GstTandemFrame* frame);
  gboolean (*enqueue_rows)(GstTandemStage* stage, GstTandemFrame* frame, gint end_row,
                           gpointer queue, GError** error);
  void (*needs)(GstTandemStage* stage, gpointer data, guint input, gint* first_row, gint* end_row);
  gsize (*get_row_begin)(GstTandemStage* stage, gpointer data, guint output, gint row);
  void (*join)(GstTandemStage* stage, GstTandemFrame* frame, gint device_end, gint cores_begin);
  void (*restart)(GstTandemStage* stage);

  /*< private >*/
  gconstpointer stage_file; /* tandem::StageFileAccess of private/stagefile.h */
  gpointer _gst_reserved[GST_PADDING_LARGE - 9];
};

GST_TANDEM_API
GType gst_tandem_stage_get_type(void);

G_END_DECLS

#endif
