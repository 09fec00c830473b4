// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/base/gstbasetransform.h>

#include <memory>
#include <vector>

#include "gst/stage/stagework.h"

namespace tandem {

/// What a stage is, from its first frame to its last; its properties may have a say in it.
struct StageDescription {
  struct Input {
    TensorName tensor;
    const char* producer;  ///< the element that makes it, for the message when it is missing
  };
  std::vector<Input> inputs;
  bool serial = false;
  bool has_cpu = true;     ///< else it waits for an OpenCL device, and needs one
  bool has_opencl = true;  ///< else it stays on the cores
  bool changes_pixels = false;
  /// The element of the first stage of the part that ends with this one and that frames pass
  /// StageSettings::rounds() times inside tandembin: null where nothing is repeated.
  const char* repeats_from = nullptr;
  bool needs_previous = false;  ///< reads StageFrame::previous
};

class StageAdapter;

}  // namespace tandem

#define GST_TYPE_TANDEM_STAGE (gst_tandem_stage_get_type())
#define GST_TANDEM_STAGE(object) \
  (G_TYPE_CHECK_INSTANCE_CAST((object), GST_TYPE_TANDEM_STAGE, GstTandemStage))
#define GST_IS_TANDEM_STAGE(object) (G_TYPE_CHECK_INSTANCE_TYPE((object), GST_TYPE_TANDEM_STAGE))
#define GST_TANDEM_STAGE_CLASS(klass) \
  (G_TYPE_CHECK_CLASS_CAST((klass), GST_TYPE_TANDEM_STAGE, GstTandemStageClass))
#define GST_TANDEM_STAGE_GET_CLASS(object) \
  (G_TYPE_INSTANCE_GET_CLASS((object), GST_TYPE_TANDEM_STAGE, GstTandemStageClass))

/// Base of every stage element. Alone in a pipeline it computes frame by frame on the device that
/// its `device` property names; inside tandembin the bin's executor drives it through its adapter.
struct GstTandemStage {
  GstBaseTransform parent;
  struct Private;
  Private* self;
};

struct GstTandemStageClass {
  GstBaseTransformClass parent_class;

  /// What the stage is with the properties that it has now. Asked before its first frame, of each
  /// instance.
  tandem::StageDescription (*describe)(GstTandemStage* stage);
  /// The properties as they are now.
  std::shared_ptr<const tandem::StageSettings> (*read_settings)(GstTandemStage* stage);
  /// Makes the work for frames like the request's with settings of this class. Called with no lock
  /// held, from whichever thread has the first such frame. Throws std::exception whose what() tells
  /// the user what to do.
  std::unique_ptr<tandem::StageWork> (*make_work)(GstTandemStage* stage,
                                                  const tandem::StageSettings& settings,
                                                  const tandem::WorkRequest& request);
};

GType gst_tandem_stage_get_type();

/// The 8-bit formats whose first plane is luma: it is read in place.
#define GST_TANDEM_LUMA_CAPS \
  GST_VIDEO_CAPS_MAKE("{ GRAY8, I420, YV12, NV12, NV21, Y41B, Y42B, Y444, NV16, NV61, NV24 }")

/// For subclasses, after a property was set: it holds from the next frame on.
void gst_tandem_stage_property_set(GstTandemStage* stage);

/// For tandembin: the stage as the scheduler sees it; lives as long as the element.
tandem::StageAdapter& gst_tandem_stage_adapter(GstTandemStage* stage);
