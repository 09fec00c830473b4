// SPDX-License-Identifier: LGPL-2.1-or-later
// Access to the stage file of a stage, for tandembin, which computes consecutive stage files in one
// pass without depending on their elements.
#pragma once

#include <gst/tandem/stage.h>

#include <memory>
#include <span>

#include "kernels/stage_file/run/stage_call.h"
#include "kernels/stage_file/stage_file.h"

namespace tandem {

/// The tensors and the parameters with which the work of one stage was made.
struct StageFileLayout {
  /// Where a tensor is. Indices are -1 if it is not there.
  struct Place {
    int input = -1, output = -1;  ///< of the stage
    int kept = -1;                ///< of the tensors that the stage keeps from frame to frame
    int component = -1;           ///< of the frame
    bool interleaved = false;     ///< pixels, which the output holds as separate planes
  };

  std::span<const Place> places;  ///< one a tensor of the file's plan
  std::span<const StageValue> parameters;
};

/// GstTandemStageClass::stage_file. Both functions may be called from any thread.
struct StageFileAccess {
  /// Returns the file, which is constant while frames flow. Null: the stage has no valid file.
  std::shared_ptr<const StageFile> (*file)(GstTandemStage* stage);
  /// Returns the layout of a work. `data`: the argument of gst_tandem_work_set_data(), which owns
  /// the arrays. Called several times for each frame.
  StageFileLayout (*layout)(gconstpointer data);
};

/// Null: the stages of this class are not made of a file.
inline const StageFileAccess* stage_file_access(GstTandemStage* stage) {
  return static_cast<const StageFileAccess*>(GST_TANDEM_STAGE_GET_CLASS(stage)->stage_file);
}

}  // namespace tandem
